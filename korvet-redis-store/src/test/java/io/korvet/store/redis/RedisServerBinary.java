package io.korvet.store.redis;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/**
 * A redis-server (or Valkey) that tests can start.
 *
 * @param path the file
 * @param version as it tells itself, for instance {@code 7.0.15}
 */
public record RedisServerBinary(Path path, String version) {

    /** Environment variable with further binaries, separated like a path. */
    public static final String FURTHER_SERVERS = "KORVET_TEST_REDIS_SERVERS";

    private static final Pattern VERSION = Pattern.compile("v=([0-9.]+)");
    private static final List<RedisServerBinary> FOUND = find();

    /** The preferred server: the one on the PATH, else the bundled one. */
    public static RedisServerBinary preferred() {
        return FOUND.get(0);
    }

    /** Every server on this machine: on the PATH, bundled with embedded-redis, named by {@value #FURTHER_SERVERS}. */
    public static List<RedisServerBinary> all() {
        return FOUND;
    }

    /** Whether this is at least that major version of Redis (Valkey counts as 7). */
    public boolean isAtLeast(int major) {
        return Integer.parseInt(version.substring(0, version.indexOf('.'))) >= major;
    }

    @Override
    public String toString() {
        return path.getFileName() + " " + version;
    }

    private static List<RedisServerBinary> find() {
        List<RedisServerBinary> found = new ArrayList<>();
        paths("PATH").map(folder -> folder.resolve("redis-server")).forEach(path -> add(found, path));
        while (found.size() > 1) {
            found.remove(1);
        }
        add(found, bundled());
        paths(FURTHER_SERVERS).forEach(path -> add(found, path));
        if (found.isEmpty()) {
            throw new IllegalStateException("no redis-server runs on this machine");
        }
        return List.copyOf(found);
    }

    private static Stream<Path> paths(String variable) {
        @Nullable String value = System.getenv(variable);
        return value == null || value.isEmpty()
                ? Stream.of()
                : Stream.of(value.split(File.pathSeparator)).map(Path::of);
    }

    private static Path bundled() {
        try {
            return ExecutableProvider.newJarResourceProvider().get().toPath();
        } catch (IOException | LinkageError e) {
            // Another module may not have the library on its class path.
            return Path.of("none");
        }
    }

    private static void add(List<RedisServerBinary> found, Path path) {
        if (!Files.isExecutable(path)) {
            return;
        }
        try {
            Process process = new ProcessBuilder(path.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            Matcher matcher =
                    VERSION.matcher(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            if (matcher.find()) {
                found.add(new RedisServerBinary(path, matcher.group(1)));
            }
        } catch (IOException e) {
            // Not for this machine.
        }
    }
}
