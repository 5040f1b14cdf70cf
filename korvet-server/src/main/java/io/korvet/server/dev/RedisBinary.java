package io.korvet.server.dev;

import io.korvet.server.StartException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@code redis-server} that can be run here.
 *
 * @param program the file
 * @param version as it says itself
 */
record RedisBinary(Path program, String version) {

    private static final Logger LOG = LoggerFactory.getLogger(RedisBinary.class);
    private static final Pattern VERSION = Pattern.compile("v=((\\d+)\\.(\\d+)[\\w.]*)");

    /**
     * The one on the PATH if it is new enough (6.2), else the one inside Korvet.
     *
     * @param directory where the one inside Korvet is unpacked
     * @throws StartException when neither runs
     */
    static RedisBinary find(String path, Path directory) {
        return onPath("redis-server", path).flatMap(RedisBinary::ifNewEnough).orElseGet(() -> bundled(directory));
    }

    /** A program on a search path. */
    static Optional<Path> onPath(String name, String path) {
        return Stream.of(path.split(Pattern.quote(File.pathSeparator), -1))
                .filter(part -> !part.isEmpty())
                .map(part -> Path.of(part, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Optional<RedisBinary> ifNewEnough(Path program) {
        String output = output(program);
        Matcher matcher = VERSION.matcher(output);
        if (!matcher.find()) {
            return Optional.empty();
        }
        int major = Integer.parseInt(matcher.group(2));
        int minor = Integer.parseInt(matcher.group(3));
        if (major < 6 || (major == 6 && minor < 2)) {
            LOG.info("{} is Redis {}, older than 6.2: taking the one inside Korvet", program, matcher.group(1));
            return Optional.empty();
        }
        return Optional.of(new RedisBinary(program, matcher.group(1)));
    }

    private static RedisBinary bundled(Path directory) {
        String resource = resource();
        Path program = directory.resolve(resource);
        try (InputStream content = RedisBinary.class.getResourceAsStream("/" + resource)) {
            if (content == null) {
                throw new StartException("There is no Redis for this machine inside Korvet ("
                        + System.getProperty("os.name") + ", " + System.getProperty("os.arch")
                        + "): install redis-server 6.2 or newer, or pass --redis-uri");
            }
            Files.createDirectories(directory);
            Path part = Files.createTempFile(directory, resource, ".part");
            Files.copy(content, part, StandardCopyOption.REPLACE_EXISTING);
            if (!part.toFile().setExecutable(true, true)) {
                throw new StartException(part + " can't be made executable");
            }
            Files.move(part, program, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new StartException("The Redis inside Korvet can't be unpacked to " + program + ": " + e, e);
        }
        return ifNewEnough(program).orElseThrow(() -> notRunning(program));
    }

    private static StartException notRunning(Path program) {
        String output = output(program).strip();
        String remedy = "install redis-server 6.2 or newer, or pass --redis-uri";
        return output.contains("libssl") || output.contains("libcrypto")
                ? new StartException("The Redis inside Korvet needs OpenSSL 3, which this machine doesn't have ("
                        + output + "): install it (Debian: libssl3), or " + remedy)
                : new StartException("The Redis inside Korvet doesn't run here (" + output + "): " + remedy);
    }

    /** The embedded-redis jar has one file per system in its root. */
    private static String resource() {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        boolean arm = processor.equals("aarch64") || processor.equals("arm64");
        if (system.contains("mac")) {
            return "redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64");
        }
        if (system.contains("linux")) {
            return arm ? "redis-server-6.2.7-linux-arm64" : "redis-server-6.2.6-v5-linux-amd64";
        }
        return "redis-server-for-" + system.replaceAll("\\W", "-");
    }

    private static String output(Path program) {
        try {
            Process process = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readNBytes(4096), StandardCharsets.UTF_8);
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            return output;
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
