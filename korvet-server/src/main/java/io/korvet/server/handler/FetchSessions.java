package io.korvet.server.handler;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Incremental fetch sessions (KIP-227): the partitions a client named once, so that later fetches carry only changes.
 *
 * <p>At most {@code capacity} sessions; a new one takes the place of the one unused for longest if that is idle, else the
 * client gets no session and goes on with full fetches. Thread-safe.
 */
final class FetchSessions {

    private static final Duration IDLE = Duration.ofMinutes(2);

    private final int capacity;
    private final InstantSource clock;
    private final LinkedHashMap<Integer, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);

    FetchSessions(int capacity, InstantSource clock) {
        this.capacity = capacity;
        this.clock = clock;
    }

    /**
     * The fetch that a request means.
     *
     * @param error {@link Errors#NONE}, or why the session can't go on
     * @param sessionId what the answer carries, 0 for none
     * @param partitions what to read, in order
     * @param session the session of an incremental fetch, {@code null} for a full one
     */
    record Plan(
            Errors error,
            int sessionId,
            List<FetchPartition> partitions,
            @Nullable Session session) {
        boolean isIncremental() {
            return session != null;
        }
    }

    /** One client's session. */
    static final class Session {
        private final int id;
        private final boolean byId;
        private final Map<FetchPartition.Key, FetchPartition> partitions = new LinkedHashMap<>();
        private int nextEpoch = FetchMetadata.nextEpoch(FetchMetadata.INITIAL_EPOCH);
        private long lastUse;

        private Session(int id, boolean byId) {
            this.id = id;
            this.byId = byId;
        }

        /** Moves partitions that gave records to the end, so that the others come first next time. */
        synchronized void rotate(List<FetchPartition.Key> served) {
            for (FetchPartition.Key key : served) {
                FetchPartition partition = partitions.remove(key);
                if (partition != null) {
                    partitions.put(key, partition);
                }
            }
        }
    }

    Plan plan(FetchRequestData request, boolean byId) {
        if (request.sessionEpoch() == FetchMetadata.FINAL_EPOCH
                || request.sessionEpoch() == FetchMetadata.INITIAL_EPOCH) {
            if (request.sessionId() != FetchMetadata.INVALID_SESSION_ID) {
                remove(request.sessionId());
            }
            List<FetchPartition> all = partitionsOf(request, byId);
            int id = request.sessionEpoch() == FetchMetadata.FINAL_EPOCH || all.isEmpty() ? 0 : open(all, byId);
            return new Plan(Errors.NONE, id, all, null);
        }
        Session session;
        synchronized (this) {
            session = sessions.get(request.sessionId());
        }
        if (session == null) {
            return new Plan(Errors.FETCH_SESSION_ID_NOT_FOUND, 0, List.of(), null);
        }
        synchronized (session) {
            if (session.byId != byId) {
                return new Plan(Errors.FETCH_SESSION_TOPIC_ID_ERROR, session.id, List.of(), null);
            }
            if (session.nextEpoch != request.sessionEpoch()) {
                return new Plan(Errors.INVALID_FETCH_SESSION_EPOCH, session.id, List.of(), null);
            }
            session.nextEpoch = FetchMetadata.nextEpoch(session.nextEpoch);
            session.lastUse = clock.millis();
            update(session, request, byId);
            return new Plan(Errors.NONE, session.id, List.copyOf(session.partitions.values()), session);
        }
    }

    private static void update(Session session, FetchRequestData request, boolean byId) {
        for (ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                session.partitions.remove(key(topic.topic(), topic.topicId(), partition, byId));
            }
        }
        for (FetchPartition wanted : partitionsOf(request, byId)) {
            FetchPartition known = session.partitions.putIfAbsent(wanted.key, wanted);
            if (known != null) {
                known.fetchOffset = wanted.fetchOffset;
                known.maxBytes = wanted.maxBytes;
                known.currentLeaderEpoch = wanted.currentLeaderEpoch;
            }
        }
    }

    private static List<FetchPartition> partitionsOf(FetchRequestData request, boolean byId) {
        List<FetchPartition> found = new ArrayList<>();
        for (FetchTopic topic : request.topics()) {
            for (FetchRequestData.FetchPartition partition : topic.partitions()) {
                found.add(new FetchPartition(
                        key(topic.topic(), topic.topicId(), partition.partition(), byId),
                        partition.fetchOffset(),
                        partition.partitionMaxBytes(),
                        partition.currentLeaderEpoch()));
            }
        }
        return found;
    }

    private static FetchPartition.Key key(String name, Uuid id, int partition, boolean byId) {
        return byId
                ? new FetchPartition.Key("", id, partition)
                : new FetchPartition.Key(name, Uuid.ZERO_UUID, partition);
    }

    private synchronized int open(List<FetchPartition> partitions, boolean byId) {
        long now = clock.millis();
        if (sessions.size() >= capacity) {
            Session eldest = sessions.values().iterator().next();
            if (now - eldest.lastUse < IDLE.toMillis()) {
                return FetchMetadata.INVALID_SESSION_ID;
            }
            sessions.remove(eldest.id);
        }
        int id;
        do {
            id = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        } while (sessions.containsKey(id));
        Session session = new Session(id, byId);
        session.lastUse = now;
        partitions.forEach(partition -> session.partitions.put(partition.key, partition));
        sessions.put(id, session);
        return id;
    }

    private synchronized void remove(int id) {
        sessions.remove(id);
    }
}
