package io.korvet.tiering.iceberg;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionStatisticsFile;
import org.apache.iceberg.ReachableFileUtil;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes files below {@code data/} and {@code metadata/} that no metadata of the table names and that are old: what is
 * left of offloads, commits and rewrites that didn't come to an end. What is live is read twice, before the files are
 * listed and again before they are deleted, so that a file that became part of the table meanwhile stays. For one thread.
 */
final class OrphanSweep {

    private static final Logger LOGGER = LoggerFactory.getLogger(OrphanSweep.class);
    private static final int MOST_IN_A_RUN = 10_000;

    private final ArchiveTable archive;

    OrphanSweep(ArchiveTable archive) {
        this.archive = archive;
    }

    /**
     * Deletes what belongs to nothing, a bounded number of files.
     *
     * @param olderThan in milliseconds; no file younger than this is touched
     * @return how many files went
     */
    int run(long olderThan) {
        if (!(archive.io() instanceof SupportsPrefixOperations files)
                || "false".equals(archive.table().properties().get(ArchiveSchema.SWEEP))) {
            return 0;
        }
        List<String> candidates = orphans(files, olderThan, live());
        if (candidates.isEmpty()) {
            return 0;
        }
        archive.refresh();
        archive.checkLeading();
        long[] live = live();
        int deleted = 0;
        for (String candidate : candidates) {
            if (!isIn(live, candidate) && delete(candidate)) {
                deleted++;
            }
        }
        return deleted;
    }

    private List<String> orphans(SupportsPrefixOperations files, long olderThan, long[] live) {
        List<String> found = new ArrayList<>();
        for (String directory : List.of("/data/", "/metadata/")) {
            for (FileInfo file : files.listPrefix(archive.table().location() + directory)) {
                if (found.size() == MOST_IN_A_RUN) {
                    return found;
                }
                if (file.createdAtMillis() < olderThan && !isIn(live, file.location()) && !isKept(file.location())) {
                    found.add(file.location());
                }
            }
        }
        return found;
    }

    private static boolean isKept(String location) {
        return location.endsWith("/" + PathTableOperations.HINT) || location.endsWith("/" + PathCatalog.PROBE);
    }

    private boolean delete(String location) {
        try {
            archive.io().deleteFile(location);
            return true;
        } catch (RuntimeException e) {
            LOGGER.atInfo()
                    .setCause(e)
                    .addKeyValue("file", location)
                    .log("a file that belongs to nothing was not deleted, a later sweep tries again");
            return false;
        }
    }

    /** Everything that metadata names, as sorted hashes: a collision keeps a file that might go. */
    private long[] live() {
        Table table = archive.table();
        LongStream.Builder live = LongStream.builder();
        ReachableFileUtil.metadataFileLocations(table, false).forEach(file -> live.add(hash(file)));
        for (StatisticsFile file : table.statisticsFiles()) {
            live.add(hash(file.path()));
        }
        for (PartitionStatisticsFile file : table.partitionStatisticsFiles()) {
            live.add(hash(file.path()));
        }
        LongStream.Builder read = LongStream.builder();
        Set<String> manifests = new HashSet<>();
        for (Snapshot snapshot : table.snapshots()) {
            if (snapshot.manifestListLocation() != null) {
                live.add(hash(snapshot.manifestListLocation()));
            }
            for (ManifestFile manifest : snapshot.allManifests(table.io())) {
                if (manifests.add(manifest.path())) {
                    live.add(hash(manifest.path()));
                    content(table, manifest, read);
                }
            }
        }
        return LongStream.concat(live.build(), read.build()).sorted().toArray();
    }

    private static void content(Table table, ManifestFile manifest, LongStream.Builder into) {
        try (ManifestReader<? extends ContentFile<?>> files = manifest.content() == ManifestContent.DATA
                ? ManifestFiles.read(manifest, table.io(), table.specs()).select(List.of("file_path"))
                : ManifestFiles.readDeleteManifest(manifest, table.io(), table.specs())
                        .select(List.of("file_path"))) {
            for (ContentFile<?> file : files) {
                into.add(hash(file.location()));
            }
        } catch (IOException e) {
            throw ArchiveFailures.of("reading " + manifest.path(), e);
        }
    }

    private static boolean isIn(long[] live, String location) {
        return Arrays.binarySearch(live, hash(location)) >= 0;
    }

    /** Of the path without its scheme, since engines spell that differently ({@code s3}, {@code s3a}; {@code file:/}). */
    private static long hash(String location) {
        int scheme = location.indexOf(':');
        String path = location.substring(scheme + 1).replaceFirst("^/+", "");
        long hash = 0xcbf29ce484222325L;
        for (int at = 0; at < path.length(); at++) {
            hash = (hash ^ path.charAt(at)) * 0x100000001b3L;
        }
        return hash;
    }
}
