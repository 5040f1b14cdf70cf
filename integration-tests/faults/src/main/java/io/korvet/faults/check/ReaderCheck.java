package io.korvet.faults.check;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Assigned;
import io.korvet.faults.history.Event.Broken;
import io.korvet.faults.history.Event.Positioned;
import io.korvet.faults.history.Event.Read;
import io.korvet.faults.history.EventLine;
import io.korvet.faults.history.History.Client;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Compares what one client read with the log. */
class ReaderCheck {
    private static final int REMEMBERED = 8;

    private final String name;
    private final FinalLog log;
    private final Anomalies anomalies;
    private final Deque<Event> recent = new ArrayDeque<>();

    /** Index of the record that comes next; a partition whose place isn't known isn't in it. */
    private final Map<String, Integer> next = new HashMap<>();

    private long reads;

    ReaderCheck(String name, FinalLog log, Anomalies anomalies) {
        this.name = name;
        this.log = log;
        this.anomalies = anomalies;
    }

    /** Goes through the history of a client. */
    final void run(Client client) {
        try (Stream<Event> events = client.events()) {
            events.forEach(this::accept);
        }
    }

    /** How many records it read. */
    final long reads() {
        return reads;
    }

    private void accept(Event event) {
        recent.add(event);
        if (recent.size() > REMEMBERED) {
            recent.remove();
        }
        if (event instanceof Positioned positioned) {
            next.put(positioned.partition(), log.indexAtOrAbove(positioned.partition(), positioned.offset()));
        } else if (event instanceof Assigned assigned) {
            next.remove(assigned.partition());
            assigned(assigned);
        } else if (event instanceof Read read) {
            reads++;
            read(read);
        } else if (event instanceof Broken broken) {
            report(Rule.BROKEN_READ, broken, broken.partition(), 0, broken.reason());
        }
    }

    private void read(Read read) {
        String partition = read.partition();
        int index = log.indexAtOrAbove(partition, read.offset());
        List<Read> records = log.records(partition);
        if (index == records.size() || records.get(index).offset() != read.offset()) {
            report(Rule.WRONG_READ, read, partition, index, "the log has nothing at offset " + read.offset());
            return;
        }
        Read stored = records.get(index);
        if (!stored.value().equals(read.value()) || stored.timestamp() != read.timestamp()) {
            String text = "at offset " + read.offset() + " the log has " + stored.value() + " of " + stored.timestamp()
                    + " and not " + read.value() + " of " + read.timestamp();
            report(Rule.WRONG_READ, read, partition, index, text);
        }
        Integer expected = next.put(partition, index + 1);
        delivered(read, index, expected == null);
        if (expected != null && index < expected) {
            report(Rule.NOT_ASCENDING, read, partition, index, "goes back from record " + expected + " to " + index);
        } else if (expected != null && index > expected) {
            String text = (index - expected) + " records were passed over, from offset "
                    + records.get(expected).offset() + " on";
            report(Rule.SKIPPED, read, partition, expected, text);
        }
    }

    /** A partition was given to this member of a group. */
    void assigned(Assigned event) {}

    /** The record at an index of its partition was read; {@code first} when it isn't known what should have come. */
    void delivered(Read read, int index, boolean first) {}

    /** All partitions must have been read to their ends. */
    final void readAll() {
        log.partitions().forEach((partition, records) -> {
            int reached = next.getOrDefault(partition, 0);
            if (reached < records.size()) {
                anomalies.add(
                        Rule.UNREAD,
                        records.get(reached).time(),
                        name,
                        partition + ": " + (records.size() - reached) + " records at the end were not read",
                        () -> log.around(partition, reached));
            }
        });
    }

    final void report(Rule rule, Event event, String partition, int index, String text) {
        anomalies.add(rule, event.time(), name, partition + ": " + text, () -> {
            List<String> lines = new ArrayList<>();
            recent.forEach(each -> lines.add(name + " " + EventLine.write(each)));
            lines.addAll(log.around(partition, index));
            return lines;
        });
    }
}
