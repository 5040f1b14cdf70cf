package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CompactionPlanTest {

    private static final long TARGET = 1_000;
    private static final long NOW = TimeUnit.DAYS.toMillis(10_000);
    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);

    private final List<ArchivedFile> files = new ArrayList<>();
    private long segment;

    private void add(long length, long segments, long oldest, long newest) {
        files.add(new ArchivedFile(
                "file-" + segment, "PARQUET", length, 1, "s", segment, segment + segments - 1, oldest, newest));
        segment += segments;
    }

    private void add(int count, long length) {
        for (int i = 0; i < count; i++) {
            add(length, 1, NOW - MINUTE * (1000 - segment), NOW - MINUTE * (1000 - segment - 1));
        }
    }

    private List<List<String>> bins() {
        return CompactionPlan.bins(files, TARGET, NOW).stream()
                .map(bin -> bin.stream().map(ArchivedFile::location).toList())
                .toList();
    }

    private List<List<String>> sizes(int... sizes) {
        List<List<String>> found = bins();
        assertThat(found.stream().map(List::size))
                .containsExactly(Arrays.stream(sizes).boxed().toArray(Integer[]::new));
        return found;
    }

    @Test
    void aFewSmallFilesStay() {
        add(7, 10);
        sizes();
    }

    @Test
    void manySmallNeighboursAreOneBin() {
        add(8, 10);
        assertThat(sizes(8).get(0)).startsWith("file-0").endsWith("file-7");
    }

    @Test
    void noBinIsLargerThanTheTarget() {
        add(25, 100);
        sizes(10, 10);
    }

    @Test
    void aLargeFileIsNotCopiedForTheSakeOfAFewSmallOnes() {
        add(1, 400);
        add(7, 10);
        sizes();
        add(1, 10);
        assertThat(sizes(8).get(0)).doesNotContain("file-0");
    }

    @Test
    void filesOfMiddlingSizeAreFilledUp() {
        add(3, 300);
        sizes(3);
    }

    @Test
    void filesNearTheTargetPartTheirNeighbours() {
        add(5, 10);
        add(1, 900);
        add(5, 10);
        sizes();
    }

    @Test
    void filesWhoseSegmentsOverlapStay() {
        add(4, 10);
        segment--;
        add(4, 10);
        sizes();
    }

    @Test
    void rowsOfDifferentDaysStayApart() {
        for (int day = 20; day > 0; day--) {
            add(10, 1, NOW - TimeUnit.DAYS.toMillis(day), NOW - TimeUnit.DAYS.toMillis(day) + MINUTE);
        }
        sizes();
    }

    @Test
    void theOlderRowsAreTheMoreOfThemGoTogether() {
        for (int day = 220; day > 200; day--) {
            add(10, 1, NOW - TimeUnit.DAYS.toMillis(day), NOW - TimeUnit.DAYS.toMillis(day) + MINUTE);
        }
        sizes(20);
    }

    @Test
    void aFileHasAtMostAThousandSegments() {
        for (int i = 0; i < 20; i++) {
            add(10, 100, NOW - MINUTE, NOW);
        }
        sizes(10, 10);
    }

    @Test
    void aFileThatSaysNothingOfItsRowsStays() {
        add(10, 10);
        files.set(4, new ArchivedFile("odd", "PARQUET", 10, 1, "s", 4, 4, Long.MIN_VALUE, Long.MAX_VALUE));
        sizes();
        files.set(4, new ArchivedFile("odd", "ORC", 10, 1, "s", 4, 4, NOW, NOW));
        sizes();
    }
}
