package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PendingUpdate;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.OutputFile;

/**
 * The archive's table, open. Every method may block for as long as the object store's deadlines allow, so the tier's own
 * threads call them and nobody else; thread-safe. All failures are {@link ColdTierException}s.
 */
public final class ArchiveTable implements AutoCloseable {

    private final ArchiveSettings settings;
    private final TableSource source;
    private final FencedTableOperations operations;
    private final BaseTable table;
    /** Commits of this process take turns, so that they don't make each other try again. */
    private final ReentrantLock commits = new ReentrantLock(true);

    private volatile boolean exclusive;

    private ArchiveTable(ArchiveSettings settings, TableSource source) {
        this.settings = settings;
        this.source = source;
        this.operations = new FencedTableOperations(source.operations());
        this.table = new BaseTable(operations, source.name(), report -> {});
    }

    /**
     * Opens the table, and creates it when it isn't there; processes that do so at the same time get the same one.
     *
     * @throws ColdTierException REFUSED when somebody must change settings, rights or the table itself; UNAVAILABLE when
     *     the store doesn't answer and it may be tried again
     */
    public static ArchiveTable open(ArchiveSettings settings) {
        ArchiveLocation location = ArchiveLocation.of(settings.path());
        return attempt("opening the archive at korvet.storage.remote.path '" + location.root() + "'", () -> {
            ArchiveTable archive = new ArchiveTable(
                    settings,
                    settings.catalog().isEmpty()
                            ? PathCatalog.open(settings, location)
                            : Catalogs.open(settings, location));
            try {
                ArchiveSchema.check(archive.table);
            } catch (RuntimeException e) {
                archive.close();
                throw e;
            }
            return archive;
        });
    }

    /** What it was opened with. */
    public ArchiveSettings settings() {
        return settings;
    }

    /** Iceberg's table as it was last seen; commits made through it are fenced. */
    public Table table() {
        return table;
    }

    /** The state of the table, for those who compare and cache. */
    TableMetadata metadata() {
        return operations.current();
    }

    /** Where its files are read and written. */
    public FileIO io() {
        return table.io();
    }

    /** Looks whether the table has changed. */
    public void refresh() {
        attempt("looking at the archive's table " + source.name(), () -> {
            table.refresh();
            return table;
        });
    }

    /** A new file for a segment's rows, by the table's own rules for locations. */
    public OutputFile newDataFile(String streamKey, long segment) {
        StructLike partition = ArchiveSchema.partition(table.spec(), streamKey);
        String name = "segment-" + segment + "-" + UUID.randomUUID() + ".parquet";
        return io().newOutputFile(table.locationProvider().newDataLocation(table.spec(), partition, name));
    }

    /**
     * Makes this process the leader: whoever led with a lower epoch commits nothing from now on. An empty snapshot goes
     * with it, so that also catalogs that compare no more than the current snapshot refuse the commits of others.
     *
     * @throws ColdTierException FENCED when a later one leads already
     */
    public void lead(long epoch) {
        attempt("leading the archive's table " + source.name(), () -> {
            if (!exclusive) {
                source.exclusive().run();
                exclusive = true;
            }
            table.refresh();
            checkNotOvertaken(epoch);
            operations.lead(epoch);
            Transaction transaction = table.newTransaction();
            transaction
                    .updateProperties()
                    .set(ArchiveSchema.EPOCH, Long.toString(epoch))
                    .commit();
            transaction
                    .newFastAppend()
                    .set(ArchiveSchema.EPOCH, Long.toString(epoch))
                    .commit();
            try {
                transaction.commitTransaction();
            } catch (CommitStateUnknownException e) {
                table.refresh();
                if (FencedTableOperations.epoch(operations.current()) != epoch) {
                    throw e;
                }
            }
            return table;
        });
    }

    /** The epoch that this process leads with, 0 if it never led. */
    long epoch() {
        return operations.epoch();
    }

    /** Fails with FENCED when a later leader has been seen; for what is done without a commit. */
    void checkLeading() {
        attempt("looking after the archive's table " + source.name(), () -> {
            checkNotOvertaken(operations.epoch());
            return table;
        });
    }

    private void checkNotOvertaken(long epoch) {
        long found = FencedTableOperations.epoch(operations.current());
        if (found > epoch) {
            throw new FencedCommitException(epoch, found);
        }
    }

    /**
     * Commits a change of the table, again and again while others are faster. One commit of this process is made at a
     * time.
     *
     * @return what is known of it
     * @throws ColdTierException when nothing was committed: FENCED, REFUSED, UNAVAILABLE, or BUSY when other commits took
     *     too long
     */
    public CommitOutcome commit(PendingUpdate<?> update) {
        String what = "committing to the archive's table " + source.name();
        return attempt(what, () -> {
            Duration longest = settings.callTimeout().multipliedBy(4);
            if (!acquired(longest)) {
                throw new ColdTierException(Kind.BUSY, what + ": other commits took more than " + longest);
            }
            try {
                update.commit();
                return CommitOutcome.COMMITTED;
            } catch (CommitStateUnknownException e) {
                return CommitOutcome.UNKNOWN;
            } catch (CommitFailedException | ValidationException e) {
                return CommitOutcome.NOT_COMMITTED;
            } finally {
                commits.unlock();
            }
        });
    }

    private boolean acquired(Duration longest) {
        try {
            return commits.tryLock(longest.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static <T> T attempt(String what, Supplier<T> act) {
        try {
            return act.get();
        } catch (RuntimeException | NoClassDefFoundError e) {
            throw ArchiveFailures.of(what, e);
        }
    }

    @Override
    public void close() {
        source.close().run();
    }
}
