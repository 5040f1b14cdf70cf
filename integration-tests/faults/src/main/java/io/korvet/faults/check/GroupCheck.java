package io.korvet.faults.check;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Assigned;
import io.korvet.faults.history.Event.CommitBegun;
import io.korvet.faults.history.Event.Committed;
import io.korvet.faults.history.Event.Read;
import io.korvet.faults.history.Event.Settled;
import io.korvet.faults.history.History.Client;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Compares what the members of a group read and committed with the log and with one another. */
final class GroupCheck {
    private final FinalLog log;
    private final Anomalies anomalies;
    private final Map<String, BitSet> delivered = new HashMap<>();
    private final Map<String, List<CommitBegun>> begun = new HashMap<>();
    private final Map<String, List<Stored>> committed = new HashMap<>();

    /**
     * How many commits of each position have no answer: they may take effect at any time after they began, until one of a
     * later assignment has.
     */
    private final Map<String, Map<Asked, Integer>> unanswered = new HashMap<>();

    /** A position that was stored by a member to which the partition was assigned at a time. */
    private record Stored(Committed commit, long assignedAt) {}

    /** A position that a member to which the partition was assigned at a time wanted stored. */
    private record Asked(long assignedAt, long offset) {}

    private long reads;
    private long commits;

    GroupCheck(FinalLog log, Anomalies anomalies) {
        this.log = log;
        this.anomalies = anomalies;
    }

    /** Goes through the histories of all members. */
    void run(List<Client> members, Client settled) {
        for (Client member : members) {
            Map<String, Long> assignments = new HashMap<>();
            try (Stream<Event> events = member.events()) {
                events.forEach(event -> collect(event, assignments));
            }
        }
        for (Client member : members) {
            MemberCheck check = new MemberCheck(member.name());
            check.run(member);
            reads += check.reads();
        }
        log.partitions().forEach(this::allDelivered);
        try (Stream<Event> events = settled.events()) {
            events.forEach(event -> {
                if (event instanceof Settled end) {
                    settled(settled.name(), end);
                }
            });
        }
    }

    /** How many records the members read. */
    long reads() {
        return reads;
    }

    /** How many positions were stored. */
    long commits() {
        return commits;
    }

    private void collect(Event event, Map<String, Long> assignments) {
        if (event instanceof Assigned assigned) {
            assignments.put(assigned.partition(), assigned.time());
        } else if (event instanceof CommitBegun commit) {
            begun.computeIfAbsent(commit.partition(), name -> new ArrayList<>()).add(commit);
            long assignedAt = assignments.getOrDefault(commit.partition(), 0L);
            count(commit.partition(), new Asked(assignedAt, commit.offset()), 1);
        } else if (event instanceof Committed commit) {
            commits++;
            long assignedAt = assignments.getOrDefault(commit.partition(), 0L);
            committed
                    .computeIfAbsent(commit.partition(), name -> new ArrayList<>())
                    .add(new Stored(commit, assignedAt));
            count(commit.partition(), new Asked(assignedAt, commit.offset()), -1);
        }
    }

    private void count(String partition, Asked commit, int more) {
        unanswered.computeIfAbsent(partition, name -> new HashMap<>()).merge(commit, more, Integer::sum);
    }

    /** Whether a commit without an answer is for this place, of an assignment from that time on. */
    private boolean isUnansweredCommit(String partition, int index, long assignedFrom) {
        return unanswered.getOrDefault(partition, Map.of()).entrySet().stream()
                .anyMatch(commit -> commit.getValue() > 0
                        && commit.getKey().assignedAt() >= assignedFrom
                        && log.indexAtOrAbove(partition, commit.getKey().offset()) == index);
    }

    private void allDelivered(String partition, List<Read> records) {
        BitSet got = delivered.getOrDefault(partition, new BitSet());
        int missing = records.size() - got.cardinality();
        if (missing > 0) {
            int first = got.nextClearBit(0);
            anomalies.add(
                    Rule.UNDELIVERED,
                    records.get(first).time(),
                    "group",
                    partition + ": " + missing + " records were delivered to no member, the first at offset "
                            + records.get(first).offset(),
                    () -> log.around(partition, first));
        }
    }

    private void settled(String name, Settled end) {
        int position = log.indexAtOrAbove(end.partition(), end.committed());
        int size = log.records(end.partition()).size();
        if (position < size || end.committed() > end.end()) {
            anomalies.add(
                    Rule.LAG,
                    end.time(),
                    name,
                    end.partition() + ": the group stands at " + end.committed() + ", " + (size - position)
                            + " records before the end, " + end.end(),
                    () -> log.around(end.partition(), position));
        }
    }

    private final class MemberCheck extends ReaderCheck {
        private final Map<String, Assigned> assignments = new HashMap<>();

        MemberCheck(String name) {
            super(name, log, anomalies);
        }

        @Override
        void assigned(Assigned event) {
            assignments.put(event.partition(), event);
        }

        @Override
        void delivered(Read read, int index, boolean first) {
            String partition = read.partition();
            delivered.computeIfAbsent(partition, name -> new BitSet()).set(index);
            Assigned assigned = assignments.get(partition);
            if (!first || assigned == null) {
                return;
            }
            long stored = 0;
            long storedBy = 0;
            for (Stored position : committed.getOrDefault(partition, List.of())) {
                if (position.commit().time() < assigned.time()) {
                    stored = Math.max(stored, position.commit().offset());
                    storedBy = Math.max(storedBy, position.assignedAt());
                }
            }
            long wanted = 0;
            for (CommitBegun commit : begun.getOrDefault(partition, List.of())) {
                wanted = commit.time() < read.time() ? Math.max(wanted, commit.offset()) : wanted;
            }
            if (index < log.indexAtOrAbove(partition, stored) && !isUnansweredCommit(partition, index, storedBy)) {
                String text = "goes on at offset " + read.offset() + " though " + stored + " was committed before";
                report(Rule.COMMIT_LOST, read, partition, index, text);
            } else if (index > log.indexAtOrAbove(partition, wanted)) {
                String text = "goes on at offset " + read.offset() + " though nobody committed more than " + wanted;
                report(Rule.COMMIT_AHEAD, read, partition, index, text);
            }
        }
    }
}
