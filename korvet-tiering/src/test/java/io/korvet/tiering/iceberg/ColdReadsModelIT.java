package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.tiering.iceberg.SegmentFiles.Placed;
import io.korvet.tiering.iceberg.SegmentFiles.Shape;
import io.korvet.tiering.iceberg.SegmentModel.Ids;
import io.korvet.tiering.iceberg.SegmentModel.Row;
import io.korvet.tiering.iceberg.SegmentModel.Seen;
import io.korvet.tiering.iceberg.SegmentModel.Sink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random segments in random files, read at random: always the same as a list would give. */
class ColdReadsModelIT {

    private static final int ROUNDS = Integer.getInteger("korvet.tiering.read-rounds", 4);

    @TempDir
    Path directory;

    /** How the rows of segments are spread over files. */
    enum Layout {
        /** As Korvet writes them. */
        OURS {
            @Override
            void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random) {
                for (SegmentModel segment : segments) {
                    append(
                            table,
                            files.write(
                                    placed(segment),
                                    SegmentFiles.notes(segment.number(), SegmentModel.INCARNATION),
                                    shape(random)));
                }
            }
        },
        /** One row group, so that only pages divide it. */
        OURS_WHOLE {
            @Override
            void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random) {
                for (SegmentModel segment : segments) {
                    append(
                            table,
                            files.write(
                                    placed(segment),
                                    SegmentFiles.notes(segment.number(), SegmentModel.INCARNATION),
                                    new Shape(128 << 20, 3_000, 40)));
                }
            }
        },
        /** A segment over several files, each in order, or none of them. */
        SPLIT {
            @Override
            void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random) {
                for (SegmentModel segment : segments) {
                    List<List<Placed>> parts = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        parts.add(new ArrayList<>());
                    }
                    placed(segment).forEach(row -> parts.get(random.nextInt(3)).add(row));
                    // Iceberg's writers leave a file of no bytes for no rows.
                    parts.add(List.of());
                    for (List<Placed> part : parts) {
                        append(table, files.write(part, Map.of(), shape(random)));
                    }
                }
            }
        },
        /** All segments in one file, one after the other. */
        MERGED {
            @Override
            void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random) {
                List<Placed> all = new ArrayList<>();
                segments.forEach(segment -> all.addAll(placed(segment)));
                append(table, files.write(all, Map.of(), shape(random)));
            }
        },
        /** All segments in one file, sorted by the table's order and nothing else. */
        SORTED_BY_TIMESTAMP {
            @Override
            void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random) {
                List<Placed> all = new ArrayList<>();
                segments.forEach(segment -> all.addAll(placed(segment)));
                Collections.shuffle(all, random);
                all.sort(Comparator.comparingLong(row -> row.row().timestamp()));
                append(table, files.write(all, Map.of(), shape(random)));
            }
        },
        /** In no order at all, although the footer says that Korvet wrote it. */
        SHUFFLED {
            @Override
            void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random) {
                for (SegmentModel segment : segments) {
                    List<Placed> rows = placed(segment);
                    Collections.shuffle(rows, random);
                    append(
                            table,
                            files.write(
                                    rows,
                                    random.nextBoolean()
                                            ? Map.of()
                                            : SegmentFiles.notes(segment.number(), SegmentModel.INCARNATION),
                                    shape(random)));
                }
            }
        },
        /** With rows that delete files take away again, by position and by value. */
        DELETED {
            @Override
            void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random) {
                for (SegmentModel segment : segments) {
                    List<Placed> rows = placed(segment);
                    List<Integer> positions = new ArrayList<>();
                    List<Placed> equal = new ArrayList<>();
                    for (int i = 0; i < 40; i++) {
                        int at = random.nextInt(rows.size());
                        StreamEntryId id = new StreamEntryId(segment.last().milliseconds() + 1, i);
                        Placed ghost = new Placed(segment.number(), new Row(id, -77, Map.of("value", new byte[] {1})));
                        rows.add(at, ghost);
                        if (random.nextBoolean()) {
                            equal.add(ghost);
                        }
                    }
                    for (int i = 0; i < rows.size(); i++) {
                        if (rows.get(i).row().timestamp() == -77 && !equal.contains(rows.get(i))) {
                            positions.add(i);
                        }
                    }
                    DataFile file = files.write(
                            rows, SegmentFiles.notes(segment.number(), SegmentModel.INCARNATION), shape(random));
                    append(table, file);
                    RowDelta delta = table.newRowDelta();
                    if (!positions.isEmpty()) {
                        delta.addDeletes(files.deletePositions(file, positions));
                    }
                    if (!equal.isEmpty()) {
                        delta.addDeletes(files.deleteEqual(equal));
                    }
                    delta.commit();
                }
            }
        };

        abstract void write(Table table, SegmentFiles files, List<SegmentModel> segments, Random random);

        static List<Placed> placed(SegmentModel segment) {
            return new ArrayList<>(segment.rows().stream()
                    .map(row -> new Placed(segment.number(), row))
                    .toList());
        }

        static Shape shape(Random random) {
            return random.nextInt(4) == 0 ? Shape.WHOLE : Shape.SMALL;
        }

        static void append(Table table, DataFile file) {
            AppendFiles append = table.newAppend();
            append.appendFile(file).commit();
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsWhatTheModelHas(Layout layout) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = System.nanoTime();
            try (ArchiveTable archive =
                    ArchiveTable.open(ArchiveSettings.at("file://" + directory.resolve(layout + "-" + round)))) {
                round(archive.table(), layout, new Random(seed));
            } catch (AssertionError | Exception e) {
                throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static void round(Table table, Layout layout, Random random) throws Exception {
        Ids ids = List.of(Ids.values()).get(random.nextInt(3));
        StreamEntryId id = switch (ids) {
            case TIME -> new StreamEntryId(1_700_000_000_000L, 0);
            case TIME_OF_MORE_DIGITS -> new StreamEntryId(999_900L, 0);
            case DENSE -> new StreamEntryId(1, 90);
        };
        List<SegmentModel> segments = new ArrayList<>();
        for (int number = 0; number < 3; number++) {
            SegmentModel segment = SegmentModel.random(random, number, id, 1 + random.nextInt(2_000), ids);
            segments.add(segment);
            id = segment.last();
        }
        layout.write(table, new SegmentFiles(table), segments, random);
        ColdReads.Options options =
                new ColdReads.Options(random.nextBoolean() ? 1 << 20 : 50_000, 2, 100, Duration.ofSeconds(60));
        try (ColdReads reads = new ColdReads(table, stream -> SegmentModel.STREAM_KEY, options)) {
            for (SegmentModel segment : segments) {
                check(reads, segment, new StreamEntryId(0, 0), 1_000_000, random);
                for (int i = 0; i < 10; i++) {
                    StreamEntryId any = segment.rows()
                            .get(random.nextInt(segment.rows().size()))
                            .id();
                    StreamEntryId from =
                            random.nextBoolean() ? any : new StreamEntryId(any.milliseconds(), any.sequence() + 1);
                    check(reads, segment, from, 1 + random.nextInt(300), random);
                    checkSeek(reads, segment, any.milliseconds() + random.nextInt(20) - 10);
                }
            }
            assertThat(reads.cachedBytes()).isLessThanOrEqualTo(options.cacheBytes());
        }
    }

    private static void check(ColdReads reads, SegmentModel segment, StreamEntryId start, int most, Random random)
            throws Exception {
        List<Seen> expected = segment.from(start);
        int wanted = Math.min(expected.size(), most);
        List<Seen> found = new ArrayList<>();
        StreamEntryId from = start;
        while (found.size() < wanted) {
            Sink sink = new Sink();
            int count = 1 + random.nextInt(most);
            int given = reads.read(segment.segment(), from, count, sink)
                    .toCompletableFuture()
                    .get();
            assertThat(given).isBetween(1, count);
            assertThat(sink.rows).hasSize(given);
            found.addAll(sink.rows);
            StreamEntryId last = sink.rows.get(given - 1).id();
            from = new StreamEntryId(last.milliseconds(), last.sequence() + 1);
        }
        assertThat(found).isEqualTo(expected.subList(0, found.size()));
        if (found.size() == expected.size()) {
            assertThat(reads.read(segment.segment(), from, 10, new Sink())
                            .toCompletableFuture()
                            .get())
                    .isZero();
        }
    }

    private static void checkSeek(ColdReads reads, SegmentModel segment, long timestamp) throws Exception {
        StreamEntryId place = reads.seekTimestamp(segment.segment(), timestamp)
                .toCompletableFuture()
                .get();
        assertThat(segment.rows())
                .filteredOn(row -> row.id().compareTo(place) < 0)
                .allSatisfy(row -> assertThat(row.timestamp()).isLessThan(timestamp));
    }
}
