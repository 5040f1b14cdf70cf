package io.korvet.faults.check;

import io.korvet.faults.history.Event.Acknowledged;
import io.korvet.faults.history.Event.Failed;
import io.korvet.faults.history.History;
import io.korvet.faults.history.History.Client;

/** Holds a history against every {@link Rule}, in the manner of Jepsen's queue and Kafka workloads. */
public final class Checker {
    private Checker() {}

    /**
     * What there was.
     *
     * @param unknown records sent whose fate the producer wasn't told
     * @param unknownStored those of them that are in the log
     * @param stored records in the log
     * @param read records that readers got, repeated ones counted again
     * @param groupRead records that members of the group got, repeated ones counted again
     * @param commits positions stored
     */
    public record Counts(
            long sent,
            long acknowledged,
            long failed,
            long unknown,
            long unknownStored,
            long stored,
            long read,
            long groupRead,
            long commits) {}

    /** Looks at all of it; adds what is wrong. */
    public static Counts check(History history, Anomalies anomalies) {
        FinalLog log = new FinalLog(history.log(), anomalies);
        Attempts attempts = new Attempts(history.producers());
        long unknownStored = new LogCheck(log, attempts, anomalies).run();
        long read = 0;
        for (Client client : history.readers()) {
            ReaderCheck reader = new ReaderCheck(client.name(), log, anomalies);
            reader.run(client);
            reader.readAll();
            read += reader.reads();
        }
        GroupCheck group = new GroupCheck(log, anomalies);
        group.run(history.members(), history.settled());
        long acknowledged = attempts.told(Acknowledged.class);
        long failed = attempts.told(Failed.class);
        return new Counts(
                attempts.size(),
                acknowledged,
                failed,
                attempts.size() - acknowledged - failed,
                unknownStored,
                log.size(),
                read,
                group.reads(),
                group.commits());
    }
}
