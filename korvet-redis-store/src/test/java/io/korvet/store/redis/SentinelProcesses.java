package io.korvet.store.redis;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A master of Redis, its replicas, and three sentinels that choose one of them when the master is gone for half a second. */
public final class SentinelProcesses implements AutoCloseable {

    /** The name under which the sentinels know the master. */
    public static final String MASTER = "korvet-master";

    private final List<RedisServerProcess> servers = new ArrayList<>();
    private final List<RedisServerProcess> sentinels = new ArrayList<>();

    /** Starts all of them; answers when they know each other. */
    public SentinelProcesses(int replicas, String... options) {
        this(replicas, List.of(), options);
    }

    /** The same with a password of the servers and another one of the sentinels. */
    public static SentinelProcesses withPasswords(int replicas, String servers, String sentinels) {
        return new SentinelProcesses(
                replicas,
                List.of("requirepass " + sentinels, "sentinel auth-pass " + MASTER + " " + servers),
                "--requirepass",
                servers,
                "--masterauth",
                servers);
    }

    private SentinelProcesses(int replicas, List<String> sentinelLines, String... options) {
        servers.add(RedisServerProcess.start(options));
        int port = servers.get(0).port();
        for (int i = 0; i < replicas; i++) {
            List<String> all = new ArrayList<>(List.of(options));
            all.addAll(List.of("--replicaof", "127.0.0.1", Integer.toString(port)));
            servers.add(RedisServerProcess.start(all.toArray(String[]::new)));
        }
        awaitReplicas(servers.get(0), replicas);
        for (int i = 0; i < 3; i++) {
            sentinels.add(RedisServerProcess.startSentinel(String.join(
                    "\n",
                    "sentinel monitor " + MASTER + " 127.0.0.1 " + port + " 2",
                    "sentinel down-after-milliseconds " + MASTER + " 500",
                    "sentinel failover-timeout " + MASTER + " 2000",
                    "sentinel parallel-syncs " + MASTER + " 2",
                    String.join("\n", sentinelLines),
                    "")));
        }
        await().atMost(Duration.ofSeconds(30))
                .until(() -> sentinels.stream().allMatch(sentinel -> {
                    List<String> told = sentinel.words("SENTINEL", "MASTER", MASTER);
                    return told.get(told.indexOf("num-other-sentinels") + 1).equals("2")
                            && told.get(told.indexOf("num-slaves") + 1).equals(Integer.toString(replicas));
                }));
    }

    /** Waits until so many replicas follow a master. */
    static void awaitReplicas(RedisServerProcess master, int replicas) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> master.command("INFO", "replication")
                                .lines()
                                .filter(line -> line.startsWith("slave") && line.contains("state=online"))
                                .count()
                        == replicas);
    }

    /** The sentinels as {@code host:port,host:port}. */
    public String nodes() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.port())
                .collect(Collectors.joining(","));
    }

    /** The sentinels and their master's name as a URI. */
    public String uri() {
        return "redis-sentinel://" + nodes() + "/0#" + MASTER;
    }

    /** The server that the sentinels take for the master. */
    public RedisServerProcess master() {
        String port = sentinels
                .get(0)
                .words("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER)
                .get(1);
        return servers.stream()
                .filter(server -> Integer.toString(server.port()).equals(port))
                .findFirst()
                .orElseThrow();
    }

    /** Has the sentinels choose another master while the present one lives. */
    public void failOver() {
        sentinels.get(0).command("SENTINEL", "FAILOVER", MASTER);
    }

    /** How long a master must be away before another is chosen. */
    public void downAfter(Duration time) {
        String milliseconds = Long.toString(time.toMillis());
        sentinels.forEach(
                sentinel -> sentinel.command("SENTINEL", "SET", MASTER, "down-after-milliseconds", milliseconds));
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServerProcess::close);
        servers.forEach(RedisServerProcess::close);
    }
}
