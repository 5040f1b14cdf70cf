package io.korvet.faults.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A star of network namespaces: one per node, each with one link to a hub that forwards packets. Nothing of it is reachable from
 * outside, so that several can be there with the same addresses.
 *
 * <p>A cut is a rule of the hub that drops, silently and in one direction, what one node sends to another. A slow link has
 * a token bucket at both ends.
 */
public final class Network implements AutoCloseable {
    private final String prefix;
    private final List<String> nodes;
    private final TreeSet<Integer> rules = new TreeSet<>();
    private final boolean shaping;

    /** Makes the namespaces and links of nodes with these names. */
    public Network(String suffix, List<String> nodes) {
        this.prefix = "korvet-" + suffix + "-";
        this.nodes = List.copyOf(nodes);
        try {
            namespace("hub");
            inside("hub", "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward");
            nodes.forEach(this::connect);
        } catch (IllegalStateException e) {
            close();
            throw e;
        }
        shaping = canShape();
    }

    /** Why this machine can't have such a network; empty when it can. */
    public static Optional<String> unavailable() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("network namespaces need root");
        }
        if (!Shell.has("ip")) {
            return Optional.of("there is no ip: apt-get install iproute2");
        }
        String probe = "korvet-probe-" + ProcessHandle.current().pid();
        try {
            Shell.run(List.of("ip", "netns", "add", probe));
            Shell.run(List.of("ip", "netns", "exec", probe, "true"));
            return Optional.empty();
        } catch (IllegalStateException e) {
            return Optional.of("network namespaces can't be made here: " + e.getMessage());
        } finally {
            quietly("ip", "netns", "del", probe);
        }
    }

    private void namespace(String node) {
        Shell.run(List.of("ip", "netns", "add", prefix + node));
        ip(node, "link", "set", "dev", "lo", "up");
    }

    private void connect(String node) {
        String subnet = subnet(node);
        namespace(node);
        Shell.run(List.of(
                "ip",
                "link",
                "add",
                "eth0",
                "netns",
                prefix + node,
                "type",
                "veth",
                "peer",
                "name",
                node,
                "netns",
                prefix + "hub"));
        ip(node, "addr", "add", address(node) + "/24", "dev", "eth0");
        ip(node, "link", "set", "dev", "eth0", "up");
        ip("hub", "addr", "add", subnet + ".1/24", "dev", node);
        ip("hub", "link", "set", "dev", node, "up");
        ip(node, "route", "add", "default", "via", subnet + ".1");
    }

    private boolean canShape() {
        if (!Shell.has("tc")) {
            return false;
        }
        try {
            slow(nodes.get(0), "10mbit");
            fast(nodes.get(0));
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Whether links can be made slow here. */
    public boolean shapes() {
        return shaping;
    }

    private String subnet(String node) {
        return "10.201." + (nodes.indexOf(node) + 1);
    }

    /** A node's address. */
    public String address(String node) {
        return subnet(node) + ".2";
    }

    /** A command as it is run inside a node. */
    public List<String> command(String node, List<String> command) {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", prefix + node));
        all.addAll(command);
        return all;
    }

    private void inside(String node, String... command) {
        Shell.run(command(node, List.of(command)));
    }

    private void ip(String node, String... words) {
        List<String> command = new ArrayList<>(List.of("ip", "-n", prefix + node));
        command.addAll(List.of(words));
        Shell.run(command);
    }

    /** Drops what one node sends to another from now on; answers the number to {@link #heal} it by. */
    public synchronized int cut(String from, String to) {
        int rule = rules.isEmpty() ? 100 : rules.last() + 1;
        ip("hub", "rule", "add", "from", address(from), "to", address(to), "blackhole", "priority", "" + rule);
        rules.add(rule);
        return rule;
    }

    /** Ends a cut. */
    public synchronized void heal(int rule) {
        ip("hub", "rule", "del", "priority", "" + rule);
        rules.remove(rule);
    }

    /** Lets a node send and receive only so much a second, in {@code tc}'s words ({@code 512kbit}). */
    public void slow(String node, String rate) {
        List<String> bucket = List.of("root", "tbf", "rate", rate, "burst", "8kb", "latency", "1s");
        shape("hub", node, "add", bucket);
        shape(node, "eth0", "add", bucket);
    }

    /** Takes the limit away. */
    public void fast(String node) {
        shape("hub", node, "del", List.of("root"));
        shape(node, "eth0", "del", List.of("root"));
    }

    private void shape(String node, String device, String verb, List<String> words) {
        List<String> command = new ArrayList<>(List.of("tc", "-n", prefix + node, "qdisc", verb, "dev", device));
        command.addAll(words);
        Shell.run(command);
    }

    /** Removes all of it; processes inside must have ended. */
    @Override
    public void close() {
        nodes.forEach(node -> quietly("ip", "netns", "del", prefix + node));
        quietly("ip", "netns", "del", prefix + "hub");
    }

    private static void quietly(String... command) {
        try {
            Shell.run(List.of(command));
        } catch (IllegalStateException e) {
            // It wasn't made, or is gone.
        }
    }
}
