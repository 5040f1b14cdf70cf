package io.korvet.faults.check;

import io.korvet.faults.check.Attempts.Attempt;
import io.korvet.faults.history.Event.Acknowledged;
import io.korvet.faults.history.Event.Failed;
import io.korvet.faults.history.Event.Read;
import io.korvet.faults.history.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares what producers were told with the log. */
final class LogCheck {
    private final FinalLog log;
    private final Attempts attempts;
    private final Anomalies anomalies;
    private final Map<Value, Read> stored = new HashMap<>();

    LogCheck(FinalLog log, Attempts attempts, Anomalies anomalies) {
        this.log = log;
        this.attempts = attempts;
        this.anomalies = anomalies;
    }

    /** Looks at everything and answers how many records without acknowledgement are in the log. */
    long run() {
        log.partitions().forEach((partition, records) -> {
            eachOnce(partition, records);
            inOrderOfSending(partition, records);
            inOrderOfAcknowledgement(partition, records);
        });
        attempts.each().forEach(this::asTold);
        return stored.keySet().stream()
                .map(attempts::of)
                .filter(attempt -> attempt != null && !(attempt.told() instanceof Acknowledged))
                .count();
    }

    private void eachOnce(String partition, List<Read> records) {
        for (int i = 0; i < records.size(); i++) {
            Read read = records.get(i);
            int index = i;
            Attempt attempt = attempts.of(read.value());
            Read before = stored.putIfAbsent(read.value(), read);
            if (attempt == null) {
                report(Rule.PHANTOM, read, read.value() + " was never sent", index, null);
            } else if (before != null) {
                String text = read.value() + " is at offset " + before.offset() + " of " + before.partition()
                        + " and again at " + read.offset() + " of " + partition;
                report(Rule.DUPLICATE, read, text, index, attempt);
            } else if (attempt.sent().timestamp() != read.timestamp()) {
                String text = read.value() + " was sent with timestamp "
                        + attempt.sent().timestamp() + " and has " + read.timestamp();
                report(Rule.WRONG_TIMESTAMP, read, text, index, attempt);
            }
        }
    }

    private void inOrderOfSending(String partition, List<Read> records) {
        Map<Integer, Read> newest = new HashMap<>();
        for (int i = 0; i < records.size(); i++) {
            Read read = records.get(i);
            Read last = newest.get(read.value().producer());
            if (last == null || last.value().sequence() < read.value().sequence()) {
                newest.put(read.value().producer(), read);
            } else if (last.value().sequence() > read.value().sequence() && read.equals(stored.get(read.value()))) {
                String text = read.value() + " at offset " + read.offset() + " of " + partition + " comes after "
                        + last.value() + " at " + last.offset();
                report(Rule.REORDERED, read, text, i, attempts.of(read.value()));
            }
        }
    }

    /** From the end: nothing may have been sent after something behind it was acknowledged. */
    private void inOrderOfAcknowledgement(String partition, List<Read> records) {
        Attempt earliest = null;
        for (int i = records.size() - 1; i >= 0; i--) {
            Attempt attempt = attempts.of(records.get(i).value());
            if (attempt == null) {
                continue;
            }
            if (earliest != null && attempt.sent().time() > earliest.acknowledgedAt()) {
                String text = attempt.sent().value() + " was sent after "
                        + earliest.sent().value() + " was acknowledged, and stands before it in " + partition;
                report(Rule.OVERTAKEN, records.get(i), text, i, attempt);
            }
            if (earliest == null || attempt.acknowledgedAt() < earliest.acknowledgedAt()) {
                earliest = attempt;
            }
        }
    }

    private void asTold(Attempt attempt) {
        Value value = attempt.sent().value();
        Read read = stored.get(value);
        if (attempt.told() instanceof Acknowledged told) {
            if (read == null) {
                anomalies.add(
                        Rule.LOST,
                        told.time(),
                        attempt.client(),
                        value + " was acknowledged at offset " + told.offset() + " of " + told.partition()
                                + " and is nowhere",
                        () -> with(
                                attempt,
                                log.around(told.partition(), log.indexAtOrAbove(told.partition(), told.offset()))));
            } else if (read.offset() != told.offset() || !read.partition().equals(told.partition())) {
                String text = value + " was acknowledged at offset " + told.offset() + " of " + told.partition()
                        + " and is at " + read.offset() + " of " + read.partition();
                report(Rule.WRONG_PLACE, read, text, log.indexAtOrAbove(read.partition(), read.offset()), attempt);
            }
        } else if (attempt.told() instanceof Failed && read != null) {
            String text = value + " failed and is at offset " + read.offset() + " of " + read.partition();
            report(Rule.FAILED_BUT_STORED, read, text, log.indexAtOrAbove(read.partition(), read.offset()), attempt);
        }
    }

    private void report(Rule rule, Read read, String text, int index, @Nullable Attempt attempt) {
        anomalies.add(
                rule,
                attempt == null ? read.time() : attempt.sent().time(),
                attempt == null ? "log" : attempt.client(),
                text,
                () -> with(attempt, log.around(read.partition(), index)));
    }

    private static List<String> with(@Nullable Attempt attempt, List<String> lines) {
        List<String> all = attempt == null ? new ArrayList<>() : new ArrayList<>(attempt.lines());
        all.addAll(lines);
        return all;
    }
}
