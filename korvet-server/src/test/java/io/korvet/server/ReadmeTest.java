package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.config.ConfigReader;
import io.korvet.server.config.KorvetConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The README's example is this method, so it compiles. */
class ReadmeTest {

    @SuppressWarnings({"unused", "SystemOut"})
    private static void example(String redisUri) {
        KorvetConfig config = new ConfigReader()
                .settings(Map.of("broker.port", "0", "admin.port", "0", "redis.uri", redisUri))
                .read()
                .config();
        try (KorvetServer server = new KorvetServer(config)) {
            server.start();
            System.out.println("Kafka clients connect to localhost:" + server.kafkaPort());
        }
    }

    @Test
    void theExampleOfTheReadmeIsTheOneThatIsCompiledHere() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        String example =
                readme.substring(readme.indexOf("```java") + 7, readme.indexOf("```\n", readme.indexOf("```java") + 7));
        String source = Files.readString(Path.of("src/test/java/io/korvet/server/ReadmeTest.java"));
        assertThat(source.replaceAll("\\s+", "")).contains(example.replaceAll("\\s+", ""));
    }
}
