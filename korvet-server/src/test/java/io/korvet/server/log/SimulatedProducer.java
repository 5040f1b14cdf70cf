package io.korvet.server.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/**
 * A producer of one partition that sends and repeats as Kafka's Java client does: new batches while few are unanswered, a
 * batch that failed only when none before it is unanswered. It gives up on what that client would give up on.
 */
final class SimulatedProducer {

    private enum State {
        NEW,
        UNANSWERED,
        FAILED,
        ACKNOWLEDGED
    }

    /** One batch. */
    static final class Batch {
        final int number;
        final int sequence;
        final List<String> values;
        private State state = State.NEW;
        private int attempt;
        private boolean oldestWhenSent;
        int broker;
        long offset = -1;

        private Batch(int number, int sequence, List<String> values) {
            this.number = number;
            this.sequence = sequence;
            this.values = values;
        }
    }

    final int id;
    final boolean idempotent;
    private final int mostUnanswered;
    private final List<Batch> batches = new ArrayList<>();
    private @Nullable AssertionError failure;

    SimulatedProducer(int id, boolean idempotent, int mostUnanswered, int batches) {
        this.id = id;
        this.idempotent = idempotent;
        this.mostUnanswered = mostUnanswered;
        int sequence = 0;
        for (int number = 0; number < batches; number++) {
            List<String> values = new ArrayList<>();
            for (int i = 0; i <= (number + id) % 2; i++) {
                values.add(id + "/" + number + "/" + i);
            }
            this.batches.add(new Batch(number, sequence, values));
            sequence += values.size();
        }
    }

    List<Batch> batches() {
        return batches;
    }

    List<Batch> acknowledged() {
        return batches.stream()
                .filter(batch -> batch.state == State.ACKNOWLEDGED)
                .toList();
    }

    boolean isDone() {
        return acknowledged().size() == batches.size();
    }

    /** The batch that would be sent now, {@code null} for none. */
    @Nullable
    Batch next() {
        int unanswered = 0;
        boolean lowest = true;
        for (Batch batch : batches) {
            switch (batch.state) {
                case ACKNOWLEDGED -> {}
                case UNANSWERED -> {
                    unanswered++;
                    lowest = false;
                }
                case NEW, FAILED -> {
                    return unanswered < mostUnanswered && (lowest || batch.state == State.NEW) ? batch : null;
                }
            }
        }
        return null;
    }

    void send(Batch batch, int broker, long now, Function<ByteBuf, CompletionStage<AppendOutcome>> log) {
        batch.state = State.UNANSWERED;
        batch.broker = broker;
        int attempt = ++batch.attempt;
        batch.oldestWhenSent = isOldest(batch);
        SimpleRecord[] records = batch.values.stream()
                .map(value -> new SimpleRecord(now, null, value.getBytes(StandardCharsets.UTF_8)))
                .toArray(SimpleRecord[]::new);
        MemoryRecords encoded = idempotent
                ? MemoryRecords.withIdempotentRecords(Compression.NONE, id, (short) 0, batch.sequence, records)
                : MemoryRecords.withRecords(Compression.NONE, records);
        var unused = log.apply(Unpooled.wrappedBuffer(encoded.buffer())).thenAccept(outcome -> {
            if (batch.attempt == attempt && batch.state == State.UNANSWERED) {
                answered(batch, outcome);
            }
        });
    }

    private boolean isOldest(Batch batch) {
        return batches.subList(0, batch.number).stream().allMatch(before -> before.state == State.ACKNOWLEDGED);
    }

    private void answered(Batch batch, AppendOutcome outcome) {
        switch (outcome.error()) {
            case NONE -> {
                batch.state = State.ACKNOWLEDGED;
                batch.offset = outcome.baseOffset();
            }
            case KAFKA_STORAGE_ERROR -> batch.state = State.FAILED;
            case OUT_OF_ORDER_SEQUENCE_NUMBER -> {
                // Of a later one it may be true: those before it are under way at another broker.
                if (batch.oldestWhenSent) {
                    failure = fatal(batch, outcome);
                }
                batch.state = State.FAILED;
            }
            default -> failure = fatal(batch, outcome);
        }
    }

    private AssertionError fatal(Batch batch, AppendOutcome outcome) {
        Errors error = outcome.error();
        return new AssertionError("producer " + id + " gives up: batch " + batch.number + " is answered " + error + ": "
                + outcome.message());
    }

    /** Fails when it was told what a producer doesn't survive. */
    void check() {
        if (failure != null) {
            throw failure;
        }
    }

    boolean waitsFor(int broker) {
        return batches.stream().anyMatch(batch -> batch.state == State.UNANSWERED && batch.broker == broker);
    }

    /** Waits no longer for a broker, which may well go on with what it was sent. */
    void giveUpOn(int broker) {
        batches.stream()
                .filter(batch -> batch.state == State.UNANSWERED && batch.broker == broker)
                .forEach(batch -> batch.state = State.FAILED);
    }
}
