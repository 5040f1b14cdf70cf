package io.korvet.faults.client;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Broken;
import io.korvet.faults.history.Event.Read;
import io.korvet.faults.history.Value;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Records as consumers get them, as events. */
final class Polls {
    private Polls() {}

    /** What a consumer got: a record of this run, or something broken. */
    static Event event(ConsumerRecord<byte[], byte[]> record) {
        String partition = new TopicPartition(record.topic(), record.partition()).toString();
        byte[] bytes = record.value();
        Value value = bytes == null ? null : Value.of(bytes);
        if (value == null) {
            String reason = "no value of this run, " + (bytes == null ? "null" : bytes.length + " bytes");
            return new Broken(Event.now(), partition, record.offset(), reason);
        }
        return new Read(Event.now(), partition, record.offset(), record.timestamp(), value);
    }
}
