package io.korvet.server.http;

import io.korvet.server.http.HealthChecks.Health;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The latest answer of {@link HealthChecks}, asked again when older than a second; one question at a time. Thread-safe. */
final class Readiness {

    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final HealthChecks checks;
    private final InstantSource clock;
    private Instant asked = Instant.MIN;
    private CompletableFuture<Map<String, Health>> answer = CompletableFuture.completedFuture(Map.of());

    Readiness(HealthChecks checks, InstantSource clock) {
        this.checks = checks;
        this.clock = clock;
    }

    /** The components; never fails, and is there within two seconds. */
    synchronized CompletableFuture<Map<String, Health>> components() {
        Instant now = clock.instant();
        // Either way round: a clock set back must not freeze the answer.
        boolean stale = Duration.between(asked, now).abs().compareTo(FRESH) >= 0;
        if (answer.isDone() && stale) {
            asked = now;
            answer = ask();
        }
        return answer;
    }

    private CompletableFuture<Map<String, Health>> ask() {
        CompletableFuture<Map<String, Health>> asking = new CompletableFuture<>();
        try {
            checks.readiness().whenComplete((components, failure) -> {
                if (failure == null) {
                    asking.complete(components);
                } else {
                    asking.complete(Map.of("checks", Health.down(String.valueOf(failure))));
                }
            });
        } catch (RuntimeException e) {
            asking.complete(Map.of("checks", Health.down(e.toString())));
        }
        return asking.completeOnTimeout(
                Map.of("checks", Health.down("no answer within " + PATIENCE.toSeconds() + " s")),
                PATIENCE.toMillis(),
                TimeUnit.MILLISECONDS);
    }
}
