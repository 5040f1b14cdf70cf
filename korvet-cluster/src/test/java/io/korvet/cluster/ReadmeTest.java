package io.korvet.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/** The README's example is this method, so it compiles. */
class ReadmeTest {

    @SuppressWarnings({"unused", "FutureReturnValueIgnored"})
    private static void example(Store store, ScheduledExecutorService scheduler) {
        BrokerNode self = new BrokerNode(0, new Endpoint("localhost", 9092), Map.of(), null, 0);
        RegistryMembership membership = new RegistryMembership(
                self, store.brokers(), MembershipSettings.DEFAULTS, scheduler, InstantSource.system());
        membership.onChange(view -> System.out.println("brokers: " + view.nodes()));
        membership
                .join()
                .thenRun(() ->
                        System.out.println("led here: " + membership.view().leads("orders", 0)));
    }

    @Test
    void theExampleOfTheReadmeIsTheOneThatIsCompiledHere() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        String example =
                readme.substring(readme.indexOf("```java") + 7, readme.indexOf("```\n", readme.indexOf("```java") + 7));
        String source = Files.readString(Path.of("src/test/java/io/korvet/cluster/ReadmeTest.java"));
        assertThat(source.replaceAll("\\s+", "")).contains(example.replaceAll("\\s+", ""));
    }
}
