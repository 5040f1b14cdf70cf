package io.korvet.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.KorvetBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code bin/korvet config} makes of a container's environment. */
public final class EffectiveConfig {
    private static final Pattern LINE = Pattern.compile("(korvet\\.[^=]+)=(.*?) +# (.*)");

    private final Map<String, String> values = new HashMap<>();
    private final Set<String> sources = new HashSet<>();

    private EffectiveConfig() {}

    /** A command that runs with these variables and no others, apart from those that find Java. */
    public static List<String> with(Map<String, String> environment, List<String> command) {
        Path java = Path.of(System.getProperty("java.home"));
        List<String> all = new ArrayList<>(List.of("env", "-i", "PATH=" + System.getenv("PATH"), "JAVA_HOME=" + java));
        environment.forEach((name, value) -> all.add(name + "=" + value));
        all.addAll(command);
        return all;
    }

    /** Reads an environment; fails unless each of its {@code KORVET_} variables is a setting that is accepted. */
    public static EffectiveConfig of(Map<String, String> environment) {
        EffectiveConfig config =
                printedBy(with(environment, List.of(KorvetBroker.command().toString(), "config")));
        Set<String> expected = new TreeSet<>(environment.keySet());
        expected.removeIf(name -> !name.startsWith("KORVET_"));
        assertThat(expected).allMatch(config::isSetBy);
        return config;
    }

    /** The configuration that a command prints, which must end well. */
    public static EffectiveConfig printedBy(List<String> command) {
        EffectiveConfig config = new EffectiveConfig();
        try (ChildProcess process = ChildProcess.start("config", command)) {
            int code = process.awaitExit(Duration.ofMinutes(1));
            assertThat(code).as(process.output()).isZero();
            process.output().lines().map(LINE::matcher).filter(Matcher::matches).forEach(line -> {
                config.values.put(line.group(1), line.group(2));
                config.sources.add(line.group(3));
            });
        }
        assertThat(config.values).containsKey("korvet.broker.id");
        return config;
    }

    /** Whether some key has its value from a variable. */
    public boolean isSetBy(String variable) {
        return sources.contains("environment " + variable);
    }

    /** A value as text, empty when there is none. */
    public String value(String key) {
        return values.getOrDefault("korvet." + key, "");
    }

    /** A number. */
    public int number(String key) {
        return Integer.parseInt(value(key));
    }

    /** The ports a process with this configuration listens at. */
    public Set<Integer> ports() {
        Set<Integer> ports = new HashSet<>(Set.of(number("broker.port"), number("admin.port")));
        for (int index = 0; values.containsKey("korvet.broker.listeners[" + index + "].port"); index++) {
            ports.add(number("broker.listeners[" + index + "].port"));
        }
        return ports;
    }

    /** Where clients of the primary listener are sent. */
    public String primaryEndpoint() {
        return endpoint("broker.");
    }

    /** Where clients of the first further listener are sent. */
    public String listenerEndpoint() {
        return endpoint("broker.listeners[0].");
    }

    private String endpoint(String prefix) {
        String host = value(prefix + "advertised-host");
        String port = value(prefix + "advertised-port");
        return (host.isEmpty() ? "localhost" : host) + ":" + (port.isEmpty() ? value(prefix + "port") : port);
    }
}
