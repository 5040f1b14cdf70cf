package io.korvet.tiering.iceberg;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Which small files of a log are put together: a pure function. Only neighbours are, so that the rows of a log stay in
 * order from file to file.
 *
 * <p>A file is rewritten only into one at least three times its size (twice, to fill a file up), so a row is copied a few
 * times in its life, however small segments are. Rows in one file leave the archive together: those of one file are at
 * most a day apart, or an eighth of their age.
 */
final class CompactionPlan {

    private static final int FEWEST = 8;
    private static final long MOST_SEGMENTS = 1_000;
    private static final long SHORTEST_SPAN = TimeUnit.DAYS.toMillis(1);
    private static final int SPAN_OF_AGE = 8;

    private CompactionPlan() {}

    /**
     * Groups of files to be put together, each in the order of its segments.
     *
     * @param files one log's
     * @param targetBytes no file is made larger than this
     * @param now in milliseconds, by the clock of the rows' timestamps
     */
    static List<List<ArchivedFile>> bins(List<ArchivedFile> files, long targetBytes, long now) {
        List<ArchivedFile> ordered = files.stream()
                .sorted(Comparator.comparingLong(ArchivedFile::smallestSegment)
                        .thenComparingLong(ArchivedFile::largestSegment))
                .toList();
        List<List<ArchivedFile>> bins = new ArrayList<>();
        int first = 0;
        while (first < ordered.size()) {
            int end = end(ordered, first, targetBytes, now);
            List<ArchivedFile> bin = ordered.subList(first, end);
            if (pays(bin, targetBytes)) {
                bins.add(bin);
                first = end;
            } else {
                first++;
            }
        }
        return bins;
    }

    /** Up to which file (exclusive) those from one on fit together. */
    private static int end(List<ArchivedFile> files, int first, long targetBytes, long now) {
        long bytes = 0;
        long oldest = Long.MAX_VALUE;
        long newest = Long.MIN_VALUE;
        int end = first;
        while (end < files.size()) {
            ArchivedFile file = files.get(end);
            bytes += file.length();
            oldest = Math.min(oldest, file.oldest());
            newest = Math.max(newest, file.newest());
            boolean isApart = end == first || files.get(end - 1).largestSegment() < file.smallestSegment();
            if (!isSmall(file, targetBytes)
                    || !isApart
                    || bytes > targetBytes
                    || file.largestSegment() - files.get(first).smallestSegment() >= MOST_SEGMENTS
                    || newest - oldest > Math.max(SHORTEST_SPAN, (now - newest) / SPAN_OF_AGE)) {
                break;
            }
            end++;
        }
        return end;
    }

    private static boolean isSmall(ArchivedFile file, long targetBytes) {
        return file.length() < targetBytes / 4 * 3
                && file.format().equals("PARQUET")
                && file.smallestSegment() != Long.MIN_VALUE
                && file.largestSegment() != Long.MAX_VALUE
                && file.oldest() != Long.MIN_VALUE
                && file.newest() != Long.MAX_VALUE;
    }

    private static boolean pays(List<ArchivedFile> bin, long targetBytes) {
        long bytes = bin.stream().mapToLong(ArchivedFile::length).sum();
        long largest = bin.stream().mapToLong(ArchivedFile::length).max().orElse(0);
        boolean isMany = bin.size() >= FEWEST && largest * 3 <= bytes;
        boolean fillsUp = bin.size() > 1 && bytes >= targetBytes / 4 * 3 && largest * 2 <= bytes;
        return isMany || fillsUp;
    }
}
