package io.korvet.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the configuration from its sources: command line before environment before file before defaults.
 *
 * <p>Strict: an unknown key or a bad value anywhere makes {@link #read} fail with one {@link ConfigException} that lists
 * every problem. Single use, not thread-safe.
 */
public final class ConfigReader {

    private static final Set<String> VARIABLES_OF_THE_LAUNCHER =
            Set.of("KORVET_HOME", "KORVET_LOG_LEVEL", "KORVET_LOG_LEVEL_REDIS_DRIVER");
    /** What Kubernetes and Docker links set for a service that is itself called korvet. */
    private static final Pattern SERVICE_VARIABLE = Pattern.compile(
            "KORVET_(.*_)?(SERVICE_(HOST|PORT)(_.*)?|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

    private static final Pattern PLACE_HOLDER = Pattern.compile("\\$\\{(file|env):([^}]+)}");

    private final List<ConfigProblem> problems = new ArrayList<>();
    private final Map<String, RawValue> fallbacks = new LinkedHashMap<>();
    private final Map<String, RawValue> file = new LinkedHashMap<>();
    private final Map<String, RawValue> environment = new LinkedHashMap<>();
    private final Map<String, RawValue> commandLine = new LinkedHashMap<>();
    private Map<String, String> variables = Map.of();

    /** Takes a YAML file. */
    public ConfigReader file(Path path) {
        YamlSource.read(path, file, problems);
        return this;
    }

    /** Takes the {@code KORVET_…} variables of an environment, and the rest for {@code ${env:NAME}}. */
    public ConfigReader environment(Map<String, String> all) {
        variables = Map.copyOf(all);
        new TreeMap<>(all).forEach(this::variable);
        return this;
    }

    private void variable(String name, String value) {
        if (!name.startsWith("KORVET_") || VARIABLES_OF_THE_LAUNCHER.contains(name) || value.isEmpty()) {
            return;
        }
        Optional<String> key = ConfigSchema.keyOfVariable(name);
        boolean ofService =
                SERVICE_VARIABLE.matcher(name).matches() && (key.isEmpty() || value.matches("(tcp|udp|sctp)://.*"));
        if (ofService) {
            return;
        }
        if (key.isEmpty()) {
            String nearest = ConfigSchema.nearest(name.toLowerCase(Locale.ROOT).replace('_', '.'));
            problems.add(new ConfigProblem(
                    name,
                    "***",
                    "environment",
                    "no such key",
                    nearest == null ? null : ConfigSchema.variable(nearest)));
        } else {
            environment.put(key.get(), new RawValue(value, "environment " + name));
        }
    }

    /** Takes {@code --set} pairs. */
    public ConfigReader settings(Map<String, String> pairs) {
        pairs.forEach((key, value) -> commandLine.put(canonical(key), new RawValue(value, "--set")));
        return this;
    }

    /** Takes one pair of the command line. */
    public ConfigReader setting(String key, String value, String option) {
        commandLine.put(canonical(key), new RawValue(value, option));
        return this;
    }

    /** Takes one pair that holds unless another source has the key. */
    public ConfigReader fallback(String key, String value, String option) {
        fallbacks.put(canonical(key), new RawValue(value, option));
        return this;
    }

    /** The full key of one written with or without {@code korvet.}, with {@code [0]} or {@code .0.} for an index. */
    private static String canonical(String key) {
        String bracketed = key.strip().replaceAll("\\.(\\d+)(?=\\.|$)", "[$1]");
        return bracketed.startsWith(ConfigSchema.ROOT + ".") ? bracketed : ConfigSchema.ROOT + "." + bracketed;
    }

    /**
     * The configuration.
     *
     * @throws ConfigException with all problems of all sources
     */
    public LoadedConfig read() {
        Map<String, RawValue> merged = new TreeMap<>(fallbacks);
        merged.putAll(file);
        merged.putAll(environment);
        merged.putAll(commandLine);
        merged.replaceAll(this::filled);
        ConfigBinder binder = new ConfigBinder(merged);
        KorvetConfig config = binder.bind();
        problems.addAll(binder.problems());
        if (config == null || !problems.isEmpty()) {
            throw new ConfigException(problems.stream()
                    .distinct()
                    .sorted(Comparator.comparing(ConfigProblem::key))
                    .toList());
        }
        return new LoadedConfig(config, binder.effective());
    }

    private RawValue filled(String key, RawValue value) {
        Matcher matcher = PLACE_HOLDER.matcher(value.text());
        String text = matcher.replaceAll(match -> {
            String found = match.group(1).equals("env") ? variables.get(match.group(2)) : content(match.group(2));
            if (found == null) {
                String expected = match.group(1).equals("env")
                        ? "a set environment variable " + match.group(2)
                        : "a readable file " + match.group(2);
                problems.add(new ConfigProblem(key, value.text(), value.source(), "expected " + expected, null));
                return "";
            }
            return Matcher.quoteReplacement(found);
        });
        return new RawValue(text, value.source());
    }

    private static @Nullable String content(String path) {
        try {
            return Files.readString(Path.of(path)).stripTrailing();
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }
}
