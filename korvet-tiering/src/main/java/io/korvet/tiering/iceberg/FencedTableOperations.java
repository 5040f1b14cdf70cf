package io.korvet.tiering.iceberg;

import java.io.IOException;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.encryption.EncryptionManager;
import org.apache.iceberg.exceptions.CleanableFailure;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;

/**
 * Lets a leader commit only while no later one has: each commit's base must not carry a higher epoch than the process's
 * own. Since every catalog accepts a commit on the current base only, an overtaken process can change nothing any more,
 * also in the middle of its retries. Thread-safe.
 */
final class FencedTableOperations implements TableOperations {

    private final TableOperations operations;
    private volatile long epoch;

    FencedTableOperations(TableOperations operations) {
        this.operations = operations;
    }

    /** Which epoch a table was led with last, 0 if it never was. */
    static long epoch(TableMetadata metadata) {
        return metadata.propertyAsLong(ArchiveSchema.EPOCH, 0);
    }

    /** Commits with an epoch from now on; a process that never led has 0. */
    void lead(long ownEpoch) {
        epoch = ownEpoch;
    }

    long epoch() {
        return epoch;
    }

    @Override
    public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
        if (base != null && epoch(base) > epoch) {
            throw new FencedCommitException(epoch, epoch(base));
        }
        try {
            operations.commit(base, metadata);
        } catch (RESTException e) {
            // Iceberg says so of statuses only, not of a connection that ended before the answer came.
            throw e.getCause() instanceof IOException ? new CommitStateUnknownException(e) : e;
        }
    }

    @Override
    public TableMetadata current() {
        return operations.current();
    }

    /**
     * Looks at the table again. Iceberg does so before each attempt to commit, after one of which the end is not known it
     * makes no other; so when this fails nothing was committed, and what was written for the commit may be deleted.
     */
    @Override
    public TableMetadata refresh() {
        try {
            return operations.refresh();
        } catch (RuntimeException e) {
            throw e instanceof CleanableFailure ? e : new NotRefreshed(e);
        }
    }

    /** A table that could not be looked at; the cause tells why. */
    private static final class NotRefreshed extends RuntimeException implements CleanableFailure {
        NotRefreshed(RuntimeException cause) {
            super(cause.getMessage(), cause);
        }
    }

    @Override
    public FileIO io() {
        return operations.io();
    }

    @Override
    public EncryptionManager encryption() {
        return operations.encryption();
    }

    @Override
    public String metadataFileLocation(String fileName) {
        return operations.metadataFileLocation(fileName);
    }

    @Override
    public LocationProvider locationProvider() {
        return operations.locationProvider();
    }

    @Override
    public TableOperations temp(TableMetadata uncommitted) {
        return operations.temp(uncommitted);
    }

    @Override
    public long newSnapshotId() {
        return operations.newSnapshotId();
    }

    @Override
    public boolean requireStrictCleanup() {
        return operations.requireStrictCleanup();
    }
}
