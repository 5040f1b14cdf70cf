package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.broker.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients in other languages and of other times: each creates a topic, produces, consumes in a group, commits and
 * resumes. A client that is not on the machine is skipped with the name of the package to install.
 */
@Tag("waits")
class OtherClientsIT extends BrokerBehaviour {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final String topic = name("clients");
    private final String group = name("group");

    @Test
    void kcat() throws IOException {
        assumeInstalled("kcat", "kcat");
        create(topic, 1, Encoding.usual());
        Path lines = ChildProcess.workFolder("input").resolve(topic);
        Files.write(lines, List.of("k1:one", "k2:two", "k3:three"));
        kcat("-P", "-t", topic, "-K", ":", "-l", lines.toString());
        assertThat(kcat("-L", "-t", topic)).contains("topic \"" + topic + "\" with 1 partitions");
        assertThat(kcat("-C", "-t", topic, "-e", "-q", "-f", "%k=%s\\n").lines())
                .containsExactly("k1=one", "k2=two", "k3=three");
        String[] consume = {"-G", group, "-X", "auto.offset.reset=earliest", "-q", "-c"};
        assertThat(kcat(plus(consume, "2", topic)).lines()).containsExactly("one", "two");
        Files.write(lines, List.of("k4:four"));
        kcat("-P", "-t", topic, "-K", ":", "-z", "lz4", "-l", lines.toString());
        assertThat(kcat(plus(consume, "2", topic)).lines()).containsExactly("three", "four");
    }

    private String kcat(String... arguments) {
        return run(List.of(plus(new String[] {"kcat", "-b", broker().bootstrap()}, arguments)));
    }

    private static String[] plus(String[] first, String... more) {
        return Stream.concat(Arrays.stream(first), Arrays.stream(more)).toArray(String[]::new);
    }

    @Test
    void confluentKafkaForPython() {
        String python = "/usr/bin/python3";
        assumeRuns("the Debian package python3-confluent-kafka", List.of(python, "-c", "import confluent_kafka"));
        assertWorks(List.of(python, resource("confluent.py"), broker().bootstrap(), topic, group));
    }

    @Test
    void kafkajs() {
        assumeInstalled("node", "nodejs");
        assumeInstalled("npm", "npm");
        Path folder = ChildProcess.workFolder("kafkajs");
        if (!Files.exists(folder.resolve("node_modules/kafkajs/package.json"))) {
            assumeRuns(
                    "kafkajs 2.2.4 from npm",
                    List.of(
                            "npm",
                            "install",
                            "--no-audit",
                            "--no-fund",
                            "--prefix",
                            folder.toString(),
                            "kafkajs@2.2.4"));
        }
        assertWorks(List.of("node", resource("kafkajs.js"), folder.toString(), broker().bootstrap(), topic, group));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.8.2", "3.9.2"})
    void olderJavaClients(String version) {
        Path jar = ChildProcess.workFolder("..")
                .normalize()
                .resolve("old-clients")
                .resolve("kafka-clients-" + version + ".jar");
        assumeThat(jar).as("the build has fetched the older client").exists();
        List<String> classPath = new ArrayList<>(List.of(jar.toString()));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.contains("/org/apache/kafka/")) {
                classPath.add(entry);
            }
        }
        assertWorks(List.of(
                ChildProcess.java(),
                "-cp",
                String.join(File.pathSeparator, classPath),
                OldClient.class.getName(),
                broker().bootstrap(),
                topic,
                group));
    }

    private static void assertWorks(List<String> command) {
        assertThat(run(command)).contains("first=0 1 2 3 4 5 6 7 8 9", "resumed=10 11 12 13 14");
    }

    private static String run(List<String> command) {
        try (ChildProcess process =
                ChildProcess.start(Path.of(command.get(0)).getFileName().toString(), command)) {
            int code = process.awaitExit(LIMIT);
            String output = process.output();
            assertThat(code).as(output).isZero();
            return output;
        }
    }

    private static String resource(String name) {
        return Path.of("src/test/clients", name).toAbsolutePath().toString();
    }

    private static void assumeInstalled(String command, String debianPackage) {
        assumeThat(Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command))))
                .as(command + " is on the PATH (Debian package " + debianPackage + ")")
                .isTrue();
    }

    private static void assumeRuns(String what, List<String> command) {
        assumeThat(new File(command.get(0)).isAbsolute() && !new File(command.get(0)).exists())
                .as(what + " is there")
                .isFalse();
        try (ChildProcess process = ChildProcess.start("assume", command)) {
            assumeThat(process.awaitExit(LIMIT))
                    .as(what + " is there: " + process.output())
                    .isZero();
        }
    }
}
