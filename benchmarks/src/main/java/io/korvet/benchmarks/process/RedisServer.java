package io.korvet.benchmarks.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Starts redis-server with the settings that Korvet recommends. */
public final class RedisServer {

    /** How Redis keeps data on disk. */
    public enum Persistence {
        /** Not at all. */
        NONE("no"),
        /** In an append-only file, synced once a second. */
        EVERY_SECOND("yes");

        private final String appendOnly;

        Persistence(String appendOnly) {
            this.appendOnly = appendOnly;
        }
    }

    private RedisServer() {}

    /**
     * Starts the binary on a free port of the loopback address with its data in a folder, and waits until it listens.
     *
     * @return the process, and its port as the contender's
     */
    public static Contender start(String name, String binary, Path folder, Persistence persistence)
            throws IOException, InterruptedException {
        int port = ChildProcess.freePort();
        List<String> command = List.of(
                binary,
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                persistence.appendOnly,
                "--appendfsync",
                "everysec",
                "--auto-aof-rewrite-percentage",
                "0",
                "--stream-node-max-bytes",
                "32768",
                "--stream-node-max-entries",
                "500",
                "--maxmemory-policy",
                "noeviction");
        ChildProcess process = ChildProcess.start("redis", folder, Map.of(), command);
        try {
            process.awaitListening(port, Duration.ofSeconds(15));
        } catch (IOException | InterruptedException failure) {
            process.close();
            throw failure;
        }
        return new Contender(name, Contender.Protocol.REDIS, port, 0, List.of(process));
    }
}
