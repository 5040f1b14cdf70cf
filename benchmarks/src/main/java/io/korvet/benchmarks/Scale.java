package io.korvet.benchmarks;

import io.korvet.benchmarks.load.ArchiveSegments;
import io.korvet.benchmarks.load.ArchivedConsume;
import io.korvet.benchmarks.load.ClientProduce;
import io.korvet.benchmarks.load.ColdConsume;
import io.korvet.benchmarks.load.Measurement;
import io.korvet.benchmarks.load.PacedLatency;
import io.korvet.benchmarks.load.PreparedProduce;
import io.korvet.benchmarks.load.RawAppend;
import io.korvet.benchmarks.load.RawAppend.Shape;
import io.korvet.benchmarks.load.TailConsume;
import io.korvet.benchmarks.load.WithColdReaders;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * How much is measured.
 *
 * @param rounds how often each measurement is run on each contender
 * @param warmUp run once on each contender before, its results thrown away
 * @param measurements of each round, in their order
 * @param limit no round begins that would probably end after so long
 */
public record Scale(int rounds, List<Measurement> warmUp, List<Measurement> measurements, Duration limit) {

    /** Size of Korvet's tail cache in a run, small enough that a cold read needs little data. */
    static final long TAIL_CACHE_BYTES = 16 << 20;

    /** How much other data empties the tail cache. */
    private static final long EVICTING_BYTES = TAIL_CACHE_BYTES * 3 / 2;

    /** Records per second of the hot traffic beside readers of the archive. */
    static final int HOT_RATE = 1_000;

    /** How many readers of the archive hot traffic must bear. */
    static final int COLD_READERS = 20;

    private static final int SMALL = 100;
    private static final int LARGE = 1_024;

    /** Keeps the lists. */
    public Scale {
        warmUp = List.copyOf(warmUp);
        measurements = List.copyOf(measurements);
    }

    /** One short round: shows that everything works, and no more than the order of magnitude. */
    static Scale quick() {
        List<Measurement> measurements = List.of(
                new ClientProduce(200_000, SMALL, 1),
                new PreparedProduce(200_000, SMALL, 500, 1),
                new RawAppend(200_000, SMALL, Shape.AS_STORED),
                new TailConsume(200_000, SMALL),
                new ColdConsume(100_000, SMALL, EVICTING_BYTES),
                new PacedLatency(1_000, Duration.ofSeconds(2)));
        return new Scale(
                1,
                List.of(new ClientProduce(200_000, SMALL, 1), new TailConsume(100_000, SMALL)),
                measurements,
                Duration.ofSeconds(50));
    }

    /** All measurements, five times. */
    static Scale full() {
        List<Measurement> measurements = List.of(
                new ClientProduce(1_000_000, SMALL, 1),
                new ClientProduce(1_000_000, SMALL, 6),
                new ClientProduce(200_000, LARGE, 1),
                new ClientProduce(200_000, LARGE, 6),
                new PreparedProduce(1_000_000, SMALL, 500, 1),
                new RawAppend(1_000_000, SMALL, Shape.AS_STORED),
                new RawAppend(1_000_000, SMALL, Shape.VALUE),
                new PreparedProduce(1_000_000, SMALL, 100, 1),
                new PreparedProduce(1_000_000, SMALL, 100, 6),
                new PreparedProduce(300_000, SMALL, 10, 1),
                new PreparedProduce(200_000, LARGE, 100, 1),
                new RawAppend(200_000, LARGE, Shape.AS_STORED),
                new TailConsume(1_000_000, SMALL),
                new ColdConsume(1_000_000, SMALL, EVICTING_BYTES),
                new PacedLatency(1_000, Duration.ofSeconds(8)),
                new PacedLatency(20_000, Duration.ofSeconds(8)));
        return new Scale(5, measurements, measurements, Duration.ofMinutes(23));
    }

    /** The archive: copies, reads, and hot traffic with and without readers, five times. */
    static Scale archive() {
        PacedLatency hot = new PacedLatency(HOT_RATE, Duration.ofSeconds(10));
        List<Measurement> measurements = List.of(
                new ArchiveSegments(1_000_000, SMALL, 1),
                new ArchiveSegments(2_000_000, SMALL, 4),
                new ArchivedConsume(1_000_000, SMALL),
                hot,
                new WithColdReaders(hot, COLD_READERS));
        return new Scale(5, measurements, measurements, Duration.ofMinutes(10));
    }

    /** The same with another number of rounds. */
    Scale withRounds(int number) {
        return new Scale(number, warmUp, measurements, limit);
    }

    /** The same with only those measurements whose names contain a match of a regular expression. */
    Scale only(Pattern pattern) {
        return new Scale(rounds, matching(warmUp, pattern), matching(measurements, pattern), limit);
    }

    private static List<Measurement> matching(List<Measurement> all, Pattern pattern) {
        return all.stream()
                .filter(measurement -> pattern.matcher(measurement.name()).find())
                .toList();
    }
}
