package io.korvet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.CommittedOffsets;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The example in this module's README. */
class ReadmeTest {

    @Test
    void memberJoinsAndGetsItsWork() throws Exception {
        MemoryImages images = new MemoryImages();
        CommittedOffsets commits = new MemoryCommits(images);
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        Executor executor = scheduler;
        try {
            GroupCoordinator coordinator = new GroupCoordinator(
                    GroupSettings.DEFAULTS.withInitialRebalanceDelay(0),
                    GroupServices.alone(commits, images, executor, GroupTimers.on(scheduler), InstantSource.system()));
            JoinRequest join = new JoinRequest(
                    "printers",
                    "",
                    null,
                    "office",
                    "/10.0.0.7",
                    10_000,
                    60_000,
                    "print",
                    List.of(new Protocol("fair", new byte[0])),
                    false,
                    true);
            CompletionStage<String> work = coordinator.join(join).thenCompose(joined -> {
                Map<String, byte[]> assignments = new HashMap<>();
                joined.members()
                        .forEach(member -> assignments.put(member.memberId(), bytes("tray of " + member.memberId())));
                return coordinator
                        .sync(new SyncRequest(
                                "printers", joined.memberId(), null, joined.generation(), null, null, assignments))
                        .thenApply(synced -> text(synced.assignment()));
            });

            assertThat(work.toCompletableFuture().get(30, TimeUnit.SECONDS)).startsWith("tray of office-");
            coordinator.close();
        } finally {
            scheduler.shutdownNow();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
