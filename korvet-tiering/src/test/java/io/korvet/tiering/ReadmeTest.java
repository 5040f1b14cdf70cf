package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.TimeEncoding;
import io.korvet.store.Store;
import io.korvet.store.StreamName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/** The README's example is this method, so it compiles. */
class ReadmeTest {

    @SuppressWarnings("unused")
    private static void example(Store store, String incarnation, ScheduledExecutorService scheduler) {
        TierPolicy policy =
                TierPolicy.localOnly(Duration.ofMinutes(1).toMillis(), new Retention(300_000, Retention.UNLIMITED));
        ManagedLog log = new ManagedLog(new StreamName("orders:0"), incarnation, new TimeEncoding(10), policy);
        StorageWorker worker = new StorageWorker(
                store,
                () -> CompletableFuture.completedFuture(List.of(log)),
                writer -> false,
                WorkerSettings.DEFAULTS,
                WorkerObserver.SILENT,
                scheduler,
                InstantSource.system());
        worker.start();
    }

    @Test
    void theExampleOfTheReadmeIsTheOneThatIsCompiledHere() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        String example =
                readme.substring(readme.indexOf("```java") + 7, readme.indexOf("```\n", readme.indexOf("```java") + 7));
        String source = Files.readString(Path.of("src/test/java/io/korvet/tiering/ReadmeTest.java"));
        assertThat(source.replaceAll("\\s+", "")).contains(example.replaceAll("\\s+", ""));
    }
}
