package io.korvet.faults.check;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Broken;
import io.korvet.faults.history.Event.Read;
import io.korvet.faults.history.EventLine;
import io.korvet.faults.history.History.Client;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All partitions as they are after a run: what everything else is compared with. */
final class FinalLog {
    private final Map<String, List<Read>> partitions = new TreeMap<>();

    /** Takes a reading of all partitions from their beginnings; a reading that isn't one is an anomaly itself. */
    FinalLog(Client client, Anomalies anomalies) {
        try (Stream<Event> events = client.events()) {
            events.forEach(event -> {
                if (event instanceof Read read) {
                    List<Read> records = partitions.computeIfAbsent(read.partition(), name -> new ArrayList<>());
                    if (!records.isEmpty() && records.get(records.size() - 1).offset() >= read.offset()) {
                        anomalies.add(
                                Rule.NOT_ASCENDING,
                                read.time(),
                                client.name(),
                                read.partition() + ": offset " + read.offset() + " comes too late",
                                () -> around(read.partition(), records.size() - 1));
                    } else {
                        records.add(read);
                    }
                } else if (event instanceof Broken broken) {
                    anomalies.add(
                            Rule.BROKEN_READ, broken.time(), client.name(), EventLine.write(broken), () -> List.of());
                }
            });
        }
    }

    /** The partitions that have records. */
    Map<String, List<Read>> partitions() {
        return partitions;
    }

    /** A partition's records in the order of their offsets. */
    List<Read> records(String partition) {
        return partitions.getOrDefault(partition, List.of());
    }

    /** How many records there are in all. */
    long size() {
        return partitions.values().stream().mapToLong(List::size).sum();
    }

    /** Index of a partition's first record at an offset or above; the number of records when there is none. */
    int indexAtOrAbove(String partition, long offset) {
        List<Read> records = records(partition);
        int low = 0;
        int high = records.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (records.get(middle).offset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The records around an index, as lines. */
    List<String> around(String partition, int index) {
        List<Read> records = records(partition);
        List<String> lines = new ArrayList<>();
        for (int i = Math.max(0, index - 3); i < Math.min(records.size(), index + 4); i++) {
            Read read = records.get(i);
            lines.add((i == index ? "log > " : "log   ") + partition + " " + read.offset() + " " + read.value());
        }
        return lines;
    }
}
