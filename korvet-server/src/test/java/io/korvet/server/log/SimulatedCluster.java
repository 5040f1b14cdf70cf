package io.korvet.server.log;

import io.korvet.offsets.StreamEntryId;
import io.korvet.server.log.Scenario.Fault;
import io.korvet.server.log.ScheduledEntryLog.Call;
import io.korvet.server.log.ScheduledEntryLog.Lane;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.Stages;
import io.korvet.store.Store;
import io.korvet.store.StreamName;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Brokers that all believe they lead one partition, producers and consumers of it, and a storage worker, over one store:
 * what happens next is chosen from outside, step by step. Single-threaded.
 */
final class SimulatedCluster {

    private static final long START = 1_764_000_000_000L;
    private static final long TEN_MINUTES = 600_000;
    private static final int ROUNDS = 300;

    /** Something that may happen now. */
    record Step(String name, Runnable run) {}

    /** A broker, as far as one partition is concerned. */
    private final class Broker {
        final int number;
        final ScheduledEntryLog calls;
        final LogContext context;
        long clock;
        PartitionLog log;

        Broker(int number) {
            this.number = number;
            this.clock = START + TEN_MINUTES * (number == 0 ? 1 : number == 1 ? -1 : 0);
            this.calls = new ScheduledEntryLog("broker " + number, store.entries(), cold, transcript::add);
            this.context = new LogContext(
                    calls,
                    new TailCache(1 << 20),
                    new ReadTurns(64),
                    new ReadTurns(64),
                    UnpooledByteBufAllocator.DEFAULT,
                    () -> Instant.ofEpochMilli(clock),
                    Limits.DEFAULT,
                    LogObserver.NONE,
                    new AppendFailures(() -> Instant.ofEpochMilli(clock)));
            this.log = open();
        }

        PartitionLog open() {
            PartitionLog opened = new PartitionLog(topic, 0, "x", scenario::settings, context);
            logs.add(opened);
            return opened;
        }
    }

    private final Scenario scenario;
    private final Store store;
    private final String topic;
    private final StreamName stream;
    private final List<Broker> brokers = new ArrayList<>();
    private final List<PartitionLog> logs = new ArrayList<>();
    private final List<SimulatedProducer> producers = new ArrayList<>();
    private final List<SimulatedProducer> plain = new ArrayList<>();
    private final List<SimulatedReader> readers = new ArrayList<>();
    private final List<Call<?>> late = new ArrayList<>();
    private final Map<Long, List<RecordingSink.Entry>> cold = new HashMap<>();
    private final TreeMap<Long, String> gone = new TreeMap<>();
    private final List<String> transcript = new ArrayList<>();
    private int faults;

    SimulatedCluster(Scenario scenario, Store store, String topic) {
        this.scenario = scenario;
        this.store = store;
        this.topic = topic;
        this.stream = PartitionLog.streamOf(topic, 0);
        this.faults = scenario.faults();
        Stages.await(store.entries().create(stream, "x"));
        for (int i = 0; i < scenario.brokers(); i++) {
            brokers.add(new Broker(i));
        }
        for (int i = 0; i < scenario.producers(); i++) {
            // Each broker has seen a batch of each producer: their beliefs are of different age.
            producers.add(
                    new SimulatedProducer(i + 1, true, scenario.unanswered(), scenario.batches() + scenario.brokers()));
        }
        for (int i = 0; i < scenario.readers(); i++) {
            readers.add(new SimulatedReader());
        }
        for (Broker broker : brokers) {
            for (SimulatedProducer producer : scenario.fresh() ? List.of(stranger()) : producers) {
                send(producer, broker);
                settle();
            }
        }
    }

    /** What was carried out, in order, with the store's answers. */
    List<String> transcript() {
        return transcript;
    }

    /** Takes steps as chosen, lets everything come to its end, checks it, and removes it from the store. */
    void run(Choices choices) {
        List<String> steps = new ArrayList<>();
        try {
            for (List<Step> options = options(); !options.isEmpty(); options = options()) {
                int chosen = choices.next(options.size());
                if (chosen < 0) {
                    break;
                }
                Step step = options.get(chosen);
                steps.add(step.name);
                take(step);
            }
            steps.add("(the end)");
            end();
            check();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    e.getMessage() + "\nafter\n  " + String.join("\n  ", steps) + "\nand calls\n  "
                            + String.join("\n  ", transcript),
                    e);
        } finally {
            logs.forEach(PartitionLog::close);
            late.forEach(Call::discard);
            Stages.await(store.entries().delete(stream, "x"));
        }
    }

    private void take(Step step) {
        step.run.run();
        for (Broker broker : brokers) {
            for (Lane lane : Lane.values()) {
                if (!scenario.fine().contains(lane)) {
                    settle(broker, lane);
                }
            }
        }
    }

    private List<Step> options() {
        List<Step> options = new ArrayList<>();
        for (Broker broker : brokers) {
            for (Lane lane : scenario.fine()) {
                Call<?> next = broker.calls.nextToExecute(lane);
                if (next != null) {
                    options.add(
                            new Step("broker " + broker.number + ": Redis does the next of " + lane, next::execute));
                }
                if (broker.calls.canDeliver(lane)) {
                    options.add(new Step(
                            "broker " + broker.number + ": an answer of " + lane, () -> broker.calls.deliver(lane)));
                }
            }
            for (SimulatedProducer producer : producers) {
                if (producer.next() != null) {
                    options.add(new Step(
                            "producer " + producer.id + " sends to broker " + broker.number,
                            () -> send(producer, broker)));
                }
            }
            for (SimulatedReader reader : readers) {
                if (!reader.isAsking()) {
                    options.add(new Step(
                            "reader at " + reader.position() + " asks broker " + broker.number,
                            () -> reader.ask(broker.log)));
                }
            }
        }
        for (int i = 0; i < late.size(); i++) {
            int index = i;
            options.add(new Step(
                    "Redis does a call of a lost connection",
                    () -> late.remove(index).execute()));
        }
        if (faults > 0) {
            for (Fault kind : scenario.kinds()) {
                faults(kind)
                        .forEach(fault -> options.add(new Step(fault.name, () -> {
                            faults--;
                            fault.run.run();
                        })));
            }
        }
        return options;
    }

    private List<Step> faults(Fault kind) {
        List<Step> found = new ArrayList<>();
        for (Broker broker : brokers) {
            String name = "broker " + broker.number + ": " + kind;
            switch (kind) {
                case LOST_ANSWERS -> {
                    for (Lane lane : scenario.fine()) {
                        if (!broker.calls.isIdle(lane)) {
                            found.add(new Step(name + " of " + lane, () -> late.addAll(broker.calls.lose(lane))));
                        }
                    }
                }
                case GIVE_UP ->
                    producers.stream()
                            .filter(producer -> producer.waitsFor(broker.number))
                            .forEach(producer -> found.add(
                                    new Step(name + " of " + producer.id, () -> producer.giveUpOn(broker.number))));
                case LEADERSHIP ->
                    found.add(new Step(name, () -> {
                        broker.log.forget();
                        broker.log = broker.open();
                    }));
                case TRUNCATE ->
                    found.add(new Step(name, () -> {
                        var unused = broker.log.truncateBefore(someAcknowledged());
                    }));
                case PLAIN_PRODUCER -> found.add(new Step(name, () -> send(stranger(), broker)));
                case CLOCK ->
                    found.add(new Step(name, () -> broker.clock += broker.clock > START ? -TEN_MINUTES : TEN_MINUTES));
                case SEAL, DROP, REMOVE -> {
                    if (broker.number == 0) {
                        found.add(new Step("worker: " + kind, () -> work(kind)));
                    }
                }
            }
        }
        return found;
    }

    private SimulatedProducer stranger() {
        SimulatedProducer producer = new SimulatedProducer(100 + plain.size(), false, 1, 1);
        plain.add(producer);
        return producer;
    }

    private void send(SimulatedProducer producer, Broker broker) {
        producer.send(Objects.requireNonNull(producer.next()), broker.number, broker.clock, broker.log::append);
    }

    private long someAcknowledged() {
        return producers.get(0).acknowledged().stream()
                .mapToLong(batch -> batch.offset)
                .max()
                .orElse(0);
    }

    private LogState state() {
        return Objects.requireNonNull(Stages.await(store.entries().state(stream)));
    }

    private void work(Fault kind) {
        LogState state = state();
        if (kind == Fault.SEAL) {
            Stages.await(store.segments().seal(stream, "x", state.open().number(), START));
            return;
        }
        for (Segment segment : state.sealed()) {
            boolean local = segment.state() != SegmentState.DROPPED;
            if (kind == Fault.DROP && local) {
                cold.put(segment.number(), entries(segment.number()));
                Stages.await(store.segments().markOffloaded(stream, "x", segment.number(), "file"));
                Stages.await(store.segments().dropLocal(stream, "x", segment.number()));
                return;
            }
            if (kind == Fault.REMOVE) {
                keep(gone, cold.containsKey(segment.number()) ? cold.get(segment.number()) : entries(segment.number()));
                long next = scenario.encoding().offsetOf(Objects.requireNonNull(segment.last())) + 1;
                Stages.await(store.segments().remove(stream, "x", segment.number(), next));
                cold.remove(segment.number());
                return;
            }
        }
    }

    private List<RecordingSink.Entry> entries(long segment) {
        RecordingSink sink = new RecordingSink();
        Stages.await(store.entries().read(stream, segment, StreamEntryId.MINIMUM, 10_000, sink));
        return sink.entries();
    }

    private void keep(NavigableMap<Long, String> log, List<RecordingSink.Entry> entries) {
        for (RecordingSink.Entry entry : entries) {
            long offset = scenario.encoding().offsetOf(entry.id());
            if (!log.isEmpty() && offset <= log.lastKey()) {
                throw new AssertionError("offset " + offset + " comes after " + log.lastKey());
            }
            log.put(offset, entry.value());
        }
    }

    private void settle(Broker broker, Lane lane) {
        while (!broker.calls.isIdle(lane)) {
            if (broker.calls.canDeliver(lane)) {
                broker.calls.deliver(lane);
            } else {
                Objects.requireNonNull(broker.calls.nextToExecute(lane)).execute();
            }
        }
    }

    private void settle() {
        boolean idle = false;
        while (!idle) {
            idle = true;
            for (Broker broker : brokers) {
                for (Lane lane : Lane.values()) {
                    idle &= broker.calls.isIdle(lane);
                    settle(broker, lane);
                }
            }
        }
    }

    /** No more faults: all producers come to their end, and all readers to the end of the log. */
    private void end() {
        settle();
        late.forEach(Call::execute);
        late.clear();
        for (int round = 0; !producers.stream().allMatch(SimulatedProducer::isDone); round++) {
            if (round == ROUNDS) {
                throw new AssertionError("no progress");
            }
            for (SimulatedProducer producer : producers) {
                Broker broker = brokers.get((round + producer.id) % brokers.size());
                for (int i = 0; i < scenario.unanswered() && producer.next() != null; i++) {
                    send(producer, broker);
                }
            }
            settle();
        }
        for (SimulatedReader reader : readers) {
            long before = -1;
            for (int i = 0; i < brokers.size() || reader.position() != before; i++) {
                before = reader.position();
                reader.ask(brokers.get(i % brokers.size()).log);
                settle();
            }
        }
    }

    private void check() {
        producers.forEach(SimulatedProducer::check);
        plain.forEach(SimulatedProducer::check);
        TreeMap<Long, String> log = new TreeMap<>(gone);
        LogState state = state();
        List<Segment> segments = new ArrayList<>(state.sealed());
        segments.add(state.open());
        for (Segment segment : segments) {
            List<RecordingSink.Entry> archived = cold.get(segment.number());
            keep(log, archived != null ? archived : entries(segment.number()));
        }
        for (SimulatedProducer producer : producers) {
            List<String> sent = new ArrayList<>();
            producer.batches().forEach(batch -> sent.addAll(batch.values));
            List<String> written = log.values().stream()
                    .filter(value -> value.startsWith(producer.id + "/"))
                    .toList();
            if (!written.equals(sent)) {
                throw new AssertionError("producer " + producer.id + " sent " + sent + ", the log has " + written);
            }
        }
        List<SimulatedProducer> all = new ArrayList<>(producers);
        all.addAll(plain);
        for (SimulatedProducer producer : all) {
            for (SimulatedProducer.Batch batch : producer.acknowledged()) {
                for (int i = 0; i < batch.values.size(); i++) {
                    if (!batch.values.get(i).equals(log.get(batch.offset + i))) {
                        throw new AssertionError(batch.values.get(i) + " was acknowledged at " + (batch.offset + i)
                                + ", where the log has " + log.get(batch.offset + i));
                    }
                }
            }
        }
        for (SimulatedReader reader : readers) {
            reader.check(log, state.startOffset());
            long end = Math.max(log.lastKey() + 1, state.startOffset());
            if (reader.position() != end) {
                throw new AssertionError("a reader came to " + reader.position() + ", the log ends at " + end);
            }
        }
    }
}
