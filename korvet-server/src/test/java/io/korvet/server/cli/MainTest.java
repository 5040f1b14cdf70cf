package io.korvet.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.server.StartException;
import io.korvet.server.config.ConfigSchema;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    private int run(String... arguments) {
        CommandLine commandLine =
                Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    @Test
    void helpAndVersionAreGiven() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("server", "config", "version");
        assertThat(run("server", "--help")).isZero();
        assertThat(out.toString())
                .contains("--dev", "--data-dir", "--ephemeral", "--tiering", "--http-port", "--redis-uri");
        assertThat(run("version")).isZero();
        assertThat(out.toString()).contains("Korvet 0.");
    }

    @Test
    void configPrintsValuesWithTheirSourcesAndNoSecrets() throws IOException {
        Path file = Files.writeString(directory.resolve("korvet.yml"), "korvet: {admin: {password: hush}}\n");

        assertThat(run("config", "--config", file.toString(), "--set", "broker.port=9999"))
                .isZero();
        assertThat(out.toString())
                .containsPattern("korvet\\.broker\\.port=9999 +# --set")
                .containsPattern("korvet\\.admin\\.password=\\*\\*\\* +# korvet\\.yml:1")
                .containsPattern("korvet\\.broker\\.id=0 +# default")
                .doesNotContain("hush");
    }

    @Test
    void problemsOfTheConfigurationAreOneMessageAndExitCodeOne() {
        assertThat(run("config", "--set", "broker.prot=1", "--set", "broker.id=x"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("2 problems", "korvet.broker.prot", "korvet.broker.id");
        assertThat(err.toString()).doesNotContain("\tat ");
    }

    @Test
    void aCommandLineThatMakesNoSenseIsExitCodeTwo() {
        assertThat(run("server", "--nonsense")).isEqualTo(2);
        assertThat(run("server", "--ephemeral")).isEqualTo(2);
        assertThat(run("server", "--tiering")).isEqualTo(2);
        assertThat(run("server", "--dev", "--ephemeral", "--data-dir", "x")).isEqualTo(2);
        assertThat(run("server", "--dev", "--redis-uri", "redis://x", "--ephemeral"))
                .isEqualTo(2);
        assertThat(run("fly")).isEqualTo(2);
    }

    @Test
    void aTakenPortNamesThePortAndTheRemedy() {
        assertThat(StartException.notBound(
                        "Kafka", "0.0.0.0", 9092, "--port", new BindException("Address already in use")))
                .hasMessageContaining("port 9092 is in use")
                .hasMessageContaining("--port");
    }

    @Test
    void theReferenceNamesEveryKeyWithItsDefaultAndMeaning() throws IOException {
        String page = Files.readString(Path.of("../docs/configuration.md"));

        assertThat(ConfigSchema.keys())
                .allSatisfy(key -> assertThat(page.lines())
                        .contains("| `" + key.name() + "` | " + (key.fallback().isEmpty() ? "-" : key.fallback())
                                + " | " + key.text() + " |"));
        assertThat(page.lines().filter(line -> line.startsWith("| `korvet.")))
                .hasSize(ConfigSchema.keys().size());
    }
}
