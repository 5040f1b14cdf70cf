package io.korvet.store.redis;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Redis Cluster of processes on this machine, slots evenly spread over its masters. */
public final class RedisClusterProcesses implements AutoCloseable {

    private final List<RedisServerProcess> nodes = new ArrayList<>();

    /** Starts masters and for each of them a number of replicas; answers when all agree. */
    public RedisClusterProcesses(int masters, int replicasEach, String... options) {
        List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "1000"));
        all.addAll(List.of(options));
        for (int i = 0; i < masters * (1 + replicasEach); i++) {
            nodes.add(RedisServerProcess.start(all.toArray(String[]::new)));
        }
        for (int i = 0; i < masters; i++) {
            nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            List<String> slots = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            IntStream.range(SlotHash.SLOT_COUNT * i / masters, SlotHash.SLOT_COUNT * (i + 1) / masters)
                    .forEach(slot -> slots.add(Integer.toString(slot)));
            nodes.get(i).command(slots.toArray(String[]::new));
        }
        for (RedisServerProcess node : nodes.subList(1, nodes.size())) {
            node.command(
                    "CLUSTER",
                    "MEET",
                    "127.0.0.1",
                    Integer.toString(
                            nodes.get(0).tlsPort() > 0
                                    ? nodes.get(0).tlsPort()
                                    : nodes.get(0).port()));
        }
        awaitAgreement();
        for (int i = masters; i < nodes.size(); i++) {
            nodes.get(i).command("CLUSTER", "REPLICATE", id(nodes.get(i % masters)));
        }
        for (int i = 0; i < masters; i++) {
            SentinelProcesses.awaitReplicas(nodes.get(i), replicasEach);
        }
    }

    /** Waits until every node that runs knows all of them and finds every slot served. */
    public void awaitAgreement() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> nodes.stream().allMatch(node -> {
                    String info = node.command("CLUSTER", "INFO");
                    return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + nodes.size());
                }));
    }

    /** All nodes as one URI. */
    public String uri() {
        return "redis://"
                + nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
    }

    /** The same over TLS, for nodes that have ports for it. */
    public String tlsUri() {
        return "rediss://"
                + nodes.stream().map(node -> "127.0.0.1:" + node.tlsPort()).collect(Collectors.joining(","));
    }

    /** All processes. */
    public List<RedisServerProcess> nodes() {
        return List.copyOf(nodes);
    }

    /** The node that has a slot by a living node's account. */
    public RedisServerProcess masterOf(int slot) {
        for (RedisServerProcess node : nodes) {
            if (node.isAlive()) {
                List<String> answer = node.words("CLUSTER", "SLOTS");
                for (int i = 0; i + 3 < answer.size(); i++) {
                    if (isRange(answer, i)
                            && Integer.parseInt(answer.get(i)) <= slot
                            && slot <= Integer.parseInt(answer.get(i + 1))) {
                        return at(answer.get(i + 3));
                    }
                }
            }
        }
        throw new AssertionError("nobody has slot " + slot);
    }

    /** A range of slots is two numbers before the first node's address. */
    private static boolean isRange(List<String> answer, int at) {
        return answer.get(at).matches("\\d{1,5}")
                && answer.get(at + 1).matches("\\d{1,5}")
                && answer.get(at + 2).equals("127.0.0.1");
    }

    private RedisServerProcess at(String port) {
        return nodes.stream()
                .filter(node -> Integer.toString(node.port()).equals(port))
                .findFirst()
                .orElseThrow();
    }

    private static String id(RedisServerProcess node) {
        return node.words("CLUSTER", "MYID").get(0);
    }

    /** The slot of a key. */
    public static int slotOf(String key) {
        return SlotHash.getSlot(key);
    }

    /** Moves a slot with all its keys to a master that hasn't it, as {@code redis-cli --cluster reshard} does. */
    public void move(int slot, RedisServerProcess to) {
        RedisServerProcess from = masterOf(slot);
        String number = Integer.toString(slot);
        to.command("CLUSTER", "SETSLOT", number, "IMPORTING", id(from));
        from.command("CLUSTER", "SETSLOT", number, "MIGRATING", id(to));
        List<String> keys = from.words("CLUSTER", "GETKEYSINSLOT", number, "3");
        while (!keys.isEmpty()) {
            List<String> migrate = new ArrayList<>(
                    List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000", "KEYS"));
            migrate.addAll(keys);
            from.command(migrate.toArray(String[]::new));
            keys = from.words("CLUSTER", "GETKEYSINSLOT", number, "3");
        }
        to.command("CLUSTER", "SETSLOT", number, "NODE", id(to));
        from.command("CLUSTER", "SETSLOT", number, "NODE", id(to));
    }

    @Override
    public void close() {
        nodes.forEach(RedisServerProcess::close);
    }
}
