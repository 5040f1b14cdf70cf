package io.korvet.server.http;

import io.korvet.server.config.AdminConfig;
import io.korvet.server.http.HealthChecks.Health;
import io.korvet.server.metrics.BrokerMeters;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The endpoints under {@code /actuator}: from a method, a path and credentials to an answer. */
final class Actuator {

    private static final String HEALTH = "/actuator/health";
    private static final String READINESS = "/actuator/health/readiness";
    private static final String LIVENESS = "/actuator/health/liveness";
    private static final String INFO = "/actuator/info";
    private static final String PROMETHEUS = "/actuator/prometheus";
    private static final List<String> PATHS = List.of(HEALTH, LIVENESS, READINESS, INFO, PROMETHEUS);

    private final Readiness readiness;
    private final BrokerMeters meters;
    private final Map<String, ?> info;
    /** What the Authorization header must say; {@code null} when metrics are open. */
    private final byte @Nullable [] authorization;

    Actuator(AdminConfig config, Readiness readiness, BrokerMeters meters, Map<String, ?> info) {
        this.readiness = readiness;
        this.meters = meters;
        this.info = info;
        boolean open = !config.securityEnabled() || config.anonymousPrometheus();
        this.authorization = open ? null : basic(config.username(), config.password() == null ? "" : config.password());
    }

    private static byte[] basic(String username, String password) {
        byte[] pair = (username + ":" + password).getBytes(StandardCharsets.UTF_8);
        return ("Basic " + Base64.getEncoder().encodeToString(pair)).getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Answers one request; never blocks and never fails.
     *
     * @param authorized the Authorization header, {@code null} without one
     */
    CompletionStage<HttpAnswer> answer(String method, String path, @Nullable String authorized) {
        boolean reading = method.equals("GET") || method.equals("HEAD");
        if (PATHS.contains(path) && !reading) {
            return now(HttpAnswer.refusal(405, "only GET and HEAD").with("Allow", "GET, HEAD"));
        }
        return switch (path) {
            case HEALTH, READINESS -> readiness.components().thenApply(Actuator::health);
            case LIVENESS -> now(HttpAnswer.json(200, Map.of("status", "UP")));
            case INFO -> now(HttpAnswer.json(200, info));
            case PROMETHEUS -> now(prometheus(authorized));
            default -> now(HttpAnswer.refusal(404, "nothing here; try " + String.join(" ", PATHS)));
        };
    }

    private static CompletionStage<HttpAnswer> now(HttpAnswer answer) {
        return CompletableFuture.completedFuture(answer);
    }

    private static HttpAnswer health(Map<String, Health> parts) {
        boolean up = parts.values().stream().allMatch(Health::up);
        Map<String, Object> components = new LinkedHashMap<>();
        parts.forEach((name, health) -> components.put(
                name, Map.of("status", word(health.up()), "details", Map.of("detail", health.detail()))));
        return HttpAnswer.json(up ? 200 : 503, Map.of("status", word(up), "components", components));
    }

    private static String word(boolean up) {
        return up ? "UP" : "DOWN";
    }

    private HttpAnswer prometheus(@Nullable String authorized) {
        if (authorization != null) {
            byte[] given = authorized == null ? new byte[0] : authorized.getBytes(StandardCharsets.ISO_8859_1);
            if (!MessageDigest.isEqual(authorization, given)) {
                return HttpAnswer.refusal(401, "needs HTTP Basic credentials (korvet.admin.username, .password)")
                        .with("WWW-Authenticate", "Basic realm=\"korvet\", charset=\"UTF-8\"");
            }
        }
        return new HttpAnswer(200, "text/plain; version=0.0.4; charset=utf-8", meters.scrape(), Map.of());
    }
}
