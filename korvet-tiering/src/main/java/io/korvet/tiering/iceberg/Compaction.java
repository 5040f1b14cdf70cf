package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.io.CloseableIterable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts small neighbouring files of a log together, a bounded number of bytes in a run. The commit fails when one of the
 * files has gone meanwhile or got rows deleted, and the new files are deleted; whoever reads finds rows by segment and id
 * and so doesn't notice. For one thread.
 */
final class Compaction {

    private static final Logger LOGGER = LoggerFactory.getLogger(Compaction.class);

    private static final int MOST_BINS = 64;
    private static final int BINS_IN_A_COMMIT = 16;
    private static final long FOOTER_BYTES = 8 << 20;
    private static final int MOST_UNFIT = 1_000;

    /**
     * What a run did.
     *
     * @param replaced how many files there are no more
     * @param written what they were replaced by
     */
    record Result(int replaced, int written) {}

    private record Bin(String streamKey, List<ArchivedFile> files) {
        long bytes() {
            return files.stream().mapToLong(ArchivedFile::length).sum();
        }
    }

    private record Merged(Bin bin, DataFile file) {}

    private final ArchiveTable archive;
    private final Runnable beforeCommit;
    private final SegmentIndex index;
    private final Random random = new Random();
    /** Files that can't be put together, so as not to try again with every run. */
    private final Set<String> unfit = new LinkedHashSet<>();

    Compaction(ArchiveTable archive) {
        this(archive, () -> {});
    }

    /** The same, which does something before each commit. */
    Compaction(ArchiveTable archive, Runnable beforeCommit) {
        this.archive = archive;
        this.beforeCommit = beforeCommit;
        this.index = new SegmentIndex(
                archive.table(), archive.settings().callTimeout().multipliedBy(2));
    }

    /**
     * Puts together what is worth it, until time or bytes are used up; the rest comes with later runs.
     *
     * @param now in milliseconds
     * @param longest begins nothing new after this
     */
    Result run(long now, Duration longest) {
        long begin = System.nanoTime();
        index.refresh(begin);
        Snapshot snapshot = archive.table().currentSnapshot();
        if (snapshot == null) {
            return new Result(0, 0);
        }
        List<Bin> bins = bins(now);
        if (bins.isEmpty()) {
            return new Result(0, 0);
        }
        Map<String, DataFile> live = live(bins);
        int replaced = 0;
        int written = 0;
        for (int from = 0; from < bins.size() && System.nanoTime() - begin < longest.toNanos(); ) {
            List<Merged> merged = new ArrayList<>();
            for (;
                    from < bins.size()
                            && merged.size() < BINS_IN_A_COMMIT
                            && System.nanoTime() - begin < longest.toNanos();
                    from++) {
                Bin bin = bins.get(from);
                if (bin.files().stream().allMatch(file -> live.containsKey(file.location()))) {
                    merge(bin, merged);
                }
            }
            if (!merged.isEmpty() && commit(merged, live, snapshot)) {
                written += merged.size();
                replaced += merged.stream()
                        .mapToInt(one -> one.bin().files().size())
                        .sum();
            }
        }
        return new Result(replaced, written);
    }

    /** What is worth it, at random, so that no log waits for ever. */
    private List<Bin> bins(long now) {
        List<Bin> all = new ArrayList<>();
        long target = archive.settings().targetFileBytes();
        index.filesByStream().forEach((streamKey, files) -> {
            List<ArchivedFile> fit = files.stream()
                    .filter(file -> !unfit.contains(file.location()))
                    .toList();
            CompactionPlan.bins(fit, target, now).forEach(bin -> all.add(new Bin(streamKey, bin)));
        });
        Collections.shuffle(all, random);
        List<Bin> chosen = new ArrayList<>();
        long bytes = 0;
        for (Bin bin : all) {
            if (chosen.size() == MOST_BINS || bytes > 2 * target) {
                break;
            }
            chosen.add(bin);
            bytes += bin.bytes();
        }
        return chosen;
    }

    /** The table's own entries of the files, without those that have rows deleted from them. */
    private Map<String, DataFile> live(List<Bin> bins) {
        Set<String> wanted = new HashSet<>();
        bins.forEach(bin -> bin.files().forEach(file -> wanted.add(file.location())));
        Map<String, DataFile> live = new HashMap<>();
        try (CloseableIterable<FileScanTask> tasks =
                archive.table().newScan().includeColumnStats().planFiles()) {
            for (FileScanTask task : tasks) {
                if (task.deletes().isEmpty() && wanted.contains(task.file().location())) {
                    live.put(task.file().location(), task.file().copy());
                }
            }
        } catch (IOException e) {
            throw ArchiveFailures.of("planning to put files together", e);
        }
        return live;
    }

    private void merge(Bin bin, List<Merged> into) {
        StoredFiles stored = new StoredFiles(archive.table(), FOOTER_BYTES);
        FileMerge merge =
                new FileMerge(archive, bin.streamKey(), bin.files().get(0).smallestSegment());
        String file = "";
        try {
            List<StoredFile> inputs = new ArrayList<>();
            for (ArchivedFile one : bin.files()) {
                file = one.location();
                inputs.add(stored.open(one));
            }
            file = "";
            into.add(new Merged(bin, merge.write(inputs)));
        } catch (RuntimeException e) {
            delete(merge.location());
            ColdTierException failure = ArchiveFailures.of("putting files of " + bin.streamKey() + " together", e);
            if (failure.kind() != Kind.CORRUPT) {
                into.forEach(merged -> delete(merged.file().location()));
                throw failure;
            }
            // Its neighbours may be put together without it, with the next run.
            String broken = file.isEmpty() ? merge.at() : file;
            remember(broken);
            LOGGER.atWarn()
                    .addKeyValue("streamKey", bin.streamKey())
                    .addKeyValue("file", broken)
                    .addKeyValue("reason", failure.getMessage())
                    .log("a small file of the archive is left as it is");
            LOGGER.atDebug().setCause(failure).log("why a small file of the archive is left as it is");
        }
    }

    /** The oldest are forgotten for new ones. */
    private void remember(String broken) {
        unfit.add(broken);
        if (unfit.size() > MOST_UNFIT) {
            unfit.remove(unfit.iterator().next());
        }
    }

    private boolean commit(List<Merged> merged, Map<String, DataFile> live, Snapshot snapshot) {
        RewriteFiles rewrite = archive.table()
                .newRewrite()
                .validateFromSnapshot(snapshot.snapshotId())
                .dataSequenceNumber(snapshot.sequenceNumber())
                .set(ArchiveSchema.EPOCH, Long.toString(archive.epoch()));
        for (Merged one : merged) {
            one.bin().files().forEach(file -> rewrite.deleteFile(live.get(file.location())));
            rewrite.addFile(one.file());
        }
        // When it fails otherwise, nobody knows for certain that the table doesn't name the files; they are swept one
        // day.
        beforeCommit.run();
        CommitOutcome outcome = archive.commit(rewrite);
        if (outcome == CommitOutcome.NOT_COMMITTED) {
            merged.forEach(one -> delete(one.file().location()));
        }
        return outcome == CommitOutcome.COMMITTED;
    }

    private void delete(String location) {
        try {
            archive.io().deleteFile(location);
        } catch (RuntimeException e) {
            LOGGER.atDebug()
                    .setCause(e)
                    .addKeyValue("file", location)
                    .log("a file that was not needed is left for the sweep of orphans");
        }
    }
}
