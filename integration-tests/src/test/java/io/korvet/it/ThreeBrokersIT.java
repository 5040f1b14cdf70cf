package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.FreePorts;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker.Kind;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code examples/three-brokers.sh} of the distribution, run as it is. */
class ThreeBrokersIT {

    @Test
    void theExamplesGroupSurvivesTheKillOfEachBrokerAndNothingIsLeftBehind() throws IOException {
        assumeThat(BrokerUnderTest.kind()).as("Korvet's example").isEqualTo(Kind.KORVET);
        assumeInstalled("kcat");
        assumeInstalled("redis-server");
        List<Integer> ports =
                IntStream.range(0, 7).map(number -> FreePorts.next()).boxed().toList();
        Path temporary = ChildProcess.workFolder("three-brokers");
        List<String> command = List.of(
                "env",
                "TMPDIR=" + temporary,
                script().toString(),
                "--kafka-ports",
                joined(ports.subList(0, 3)),
                "--http-ports",
                joined(ports.subList(3, 6)),
                "--redis-port",
                ports.get(6).toString());
        try (ChildProcess process = ChildProcess.start("three-brokers", command)) {
            int code = process.awaitExit(Duration.ofMinutes(4));
            assertThat(code).as(process.output()).isZero();
            assertThat(process.output())
                    .contains("Broker 0 is back", "Broker 1 is back", "Broker 2 is back", "all consumed by the group");
        }
        assertThat(ports).noneMatch(FreePorts::listening);
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    private static Path script() {
        return KorvetBroker.command()
                .resolveSibling("../examples/three-brokers.sh")
                .normalize();
    }

    private static String joined(List<Integer> ports) {
        return String.join(",", ports.stream().map(String::valueOf).toList());
    }

    private static void assumeInstalled(String command) {
        assumeThat(Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command))))
                .as(command + " is on the PATH (Debian package " + command + ")")
                .isTrue();
    }
}
