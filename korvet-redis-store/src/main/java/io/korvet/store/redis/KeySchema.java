package io.korvet.store.redis;

import io.korvet.store.StreamName;

/**
 * Every key that the store uses, spelt here and nowhere else (docs/redis-keys.md). The keys of one log share a hash tag
 * and so a slot of Redis Cluster, as do the keys of the topic catalog.
 */
public final class KeySchema {

    /** What follows a segment's key in the key of its times index. */
    static final String TIMES_SUFFIX = ":times";

    private final String namespace;

    /**
     * The keys of one namespace.
     *
     * @throws IllegalArgumentException when the namespace is empty or has braces
     */
    public KeySchema(String namespace) {
        checkNamespace(namespace);
        this.namespace = namespace;
    }

    static void checkNamespace(String namespace) {
        if (namespace.isEmpty() || namespace.indexOf('{') >= 0 || namespace.indexOf('}') >= 0) {
            throw new IllegalArgumentException(
                    "namespace '" + namespace + "': expected at least one character and no braces");
        }
    }

    /** What precedes the last part of all keys of a log. */
    String logPrefix(StreamName stream) {
        return log(stream) + ":";
    }

    /** Stream: the entries of one segment. */
    public String segment(StreamName stream, long segment) {
        return logPrefix(stream) + segment;
    }

    /** Sorted set: the sparse index from timestamps to entries of one segment. */
    public String times(StreamName stream, long segment) {
        return segment(stream, segment) + TIMES_SUFFIX;
    }

    /** Hash: the log and its open segment. */
    public String meta(StreamName stream) {
        return logPrefix(stream) + "meta";
    }

    /** Hash: the sealed segments. */
    public String segments(StreamName stream) {
        return logPrefix(stream) + "segments";
    }

    /** Hash: the writers' states. */
    public String producers(StreamName stream) {
        return logPrefix(stream) + "producers";
    }

    /** Hash: topic name to row. */
    public String topics() {
        return namespace + ":topics";
    }

    /** Hash: topics removed whose logs may still be there, by id. */
    public String removedTopics() {
        return "{" + topics() + "}:removed";
    }

    /** Counter: version of the topic catalog. */
    public String topicsVersion() {
        return "{" + topics() + "}:version";
    }

    /** Hash: broker id to row. */
    public String brokers() {
        return namespace + ":broker:nodes";
    }

    /** Hash: broker id to its sign of life; in the slot of {@link #brokers()}. */
    public String signs() {
        return "{" + brokers() + "}:signs";
    }

    /** Hash: the number that stands for the set of live brokers, and that set; in the slot of {@link #brokers()}. */
    public String membershipEpoch() {
        return "{" + brokers() + "}:epoch";
    }

    /** Channel (no key): a broker listens on its own, so that Redis notices when it is gone. */
    public String signChannel(String broker) {
        return signs() + ":" + broker;
    }

    /** Hash: committed positions of one group. */
    public String commits(String group) {
        return namespace + ":broker:commit:{" + group + "}";
    }

    /** Set: names of groups that have committed positions. */
    public String groups() {
        return namespace + ":broker:groups";
    }

    /** Hash: a group with its members. */
    public String group(String group) {
        return namespace + ":broker:group:{" + group + "}";
    }

    /** Set: names of groups whose members are stored. */
    public String groupsWithMembers() {
        return namespace + ":broker:groups-with-members";
    }

    /** String: token of the holder of a lease. */
    public String lease(String name) {
        return namespace + ":lease:" + name;
    }

    /** Hash: fact about the namespace (such as {@code cluster-id}) to its text. */
    public String facts() {
        return namespace + ":facts";
    }

    /** Hash: stream name of a deleted log to the incarnations that the remote tier is yet to forget. */
    public String removals() {
        return namespace + ":storage:remote:removals";
    }

    /** The name of a log in the remote tier: what all its keys share, for instance {@code korvet:storage:local:{orders:0}}. */
    public String log(StreamName stream) {
        return namespace + ":storage:local:{" + stream.value() + "}";
    }

    /** Counter: numbers given so far. */
    public String sequence(String name) {
        return namespace + ":sequence:" + name;
    }
}
