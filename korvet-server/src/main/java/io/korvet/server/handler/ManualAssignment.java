package io.korvet.server.handler;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;

/** The rules for assignments that clients make by hand: consistent in themselves; which brokers are named doesn't matter. */
final class ManualAssignment {

    private ManualAssignment() {}

    /** Checks an assignment of brokers to all partitions, which are numbered from 0. */
    static void check(Map<Integer, List<Integer>> assignment) {
        for (int partition = 0; partition < assignment.size(); partition++) {
            List<Integer> brokers = assignment.get(partition);
            if (brokers == null) {
                throw refusal("Partitions must be numbered 0, 1, 2 without a gap; " + partition + " is missing.");
            }
            check(partition, brokers);
        }
        if (assignment.values().stream().mapToInt(List::size).distinct().count() > 1) {
            throw refusal("All partitions must be assigned to the same number of brokers.");
        }
    }

    /** Checks the brokers of one partition. */
    static void check(int partition, List<Integer> brokers) {
        if (brokers.isEmpty()) {
            throw refusal("Partition " + partition + " is assigned to no broker.");
        }
        if (brokers.stream().anyMatch(broker -> broker < 0)) {
            throw refusal("Partition " + partition + " is assigned to a broker with a negative id: " + brokers + ".");
        }
        if (new HashSet<>(brokers).size() < brokers.size()) {
            throw refusal("Partition " + partition + " is assigned to a broker twice: " + brokers + ".");
        }
    }

    /** The failure for an assignment that doesn't hold. */
    static InvalidReplicaAssignmentException refusal(String message) {
        return new InvalidReplicaAssignmentException(message);
    }
}
