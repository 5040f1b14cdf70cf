package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ObjectStore.Creation;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.LocationProviders;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table that lies at a path and needs no catalog: version N is {@code metadata/vN.metadata.json}, and {@code
 * metadata/version-hint.text} says about which is the newest (the layout that Iceberg's {@code HadoopTables} reads). A
 * commit is the creation of version N + 1, which the store grants to one writer only (ADR 0016). Thread-safe.
 *
 * <p>Old versions are deleted by {@link ArchiveMaintenance}, oldest first. A writer that slept for so long that the
 * version it wants to create has come and gone again finds its base gone after the creation, and takes it back.
 */
final class PathTableOperations implements TableOperations {

    static final String HINT = "version-hint.text";

    private static final Logger LOGGER = LoggerFactory.getLogger(PathTableOperations.class);
    private static final Pattern VERSION = Pattern.compile("v(\\d{1,9})\\.metadata\\.json");

    private record Version(int number, TableMetadata metadata) {}

    private final ObjectStore store;
    private final FileIO io;
    private final String location;
    private final Object turn = new Object();
    /** Guarded by {@link #turn} for writing. */
    private volatile @Nullable Version current;
    /** Whether what is known can't be trusted, so that the directory itself must be looked at. */
    private volatile boolean lost;

    PathTableOperations(ObjectStore store, FileIO io, String location) {
        this.store = store;
        this.io = io;
        this.location = location;
    }

    /** The number of a version's file, 0 if it is no such file. */
    static int versionOf(String name) {
        Matcher matcher = VERSION.matcher(name);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    @Override
    @SuppressWarnings("NullAway") // null is how Iceberg says that there is no table
    public TableMetadata current() {
        Version version = current;
        return version == null ? refresh() : version.metadata;
    }

    @Override
    @SuppressWarnings("NullAway") // null is how Iceberg says that there is no table
    public TableMetadata refresh() {
        synchronized (turn) {
            Version known = current;
            int newest = newest(known);
            if (newest == 0) {
                if (known != null) {
                    throw new ColdTierException(
                            Kind.REFUSED,
                            "the archive's table at " + location + " is gone: no " + file(1) + " or later; restore "
                                    + "its metadata directory, or move data/ away and start again to begin with an empty table");
                }
                return null;
            }
            if (known == null || known.number != newest) {
                current = load(newest, known);
            }
            lost = false;
            return current.metadata;
        }
    }

    @Override
    public void commit(@Nullable TableMetadata base, TableMetadata metadata) {
        if (base == metadata) {
            return;
        }
        Version known = current;
        if (base != (known == null ? null : known.metadata)) {
            throw new CommitFailedException("the table at %s has changed since", location);
        }
        checkUnmoved(metadata);
        int next = (known == null ? 0 : known.number) + 1;
        if (newest(known) != next - 1) {
            throw new CommitFailedException("version %s of the table at %s is there already", next, location);
        }
        byte[] content = TableMetadataParser.toJson(metadata).getBytes(StandardCharsets.UTF_8);
        if (store.create(file(next), content) == Creation.TAKEN) {
            throw new CommitFailedException("version %s of the table at %s was created by another", next, location);
        }
        if (known != null) {
            checkBaseIsThere(known.number, next);
        }
        hint(next);
        synchronized (turn) {
            Version later = current;
            if (later == null || later.number < next) {
                current = new Version(next, parse(next, content));
            }
        }
    }

    private void checkUnmoved(TableMetadata metadata) {
        if (!metadata.location().equals(location)
                || metadata.properties().containsKey(TableProperties.WRITE_METADATA_LOCATION)) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "the archive's table at " + location + " can't be moved: a path-based table has its metadata below "
                            + "korvet.storage.remote.path; copy all of it and change the path instead");
        }
    }

    private void checkBaseIsThere(int base, int next) {
        boolean there;
        try {
            there = store.exists(file(base));
        } catch (RuntimeException e) {
            throw new CommitStateUnknownException(e);
        }
        if (!there) {
            lost = true;
            store.delete(file(next));
            throw new CommitFailedException("version %s of the table at %s is long past", next, location);
        }
    }

    private void hint(int number) {
        try {
            store.replace(metadataFileLocation(HINT), Integer.toString(number).getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            // It is a hint: whoever reads it looks on from there, and the next commit writes it again.
            LOGGER.atWarn()
                    .setCause(e)
                    .addKeyValue("version", number)
                    .log("the version hint of the archive was not written");
        }
    }

    private int newest(@Nullable Version known) {
        int number = known == null ? 0 : known.number;
        int hint = hint();
        if (lost || (number == 0 && hint == 0)) {
            number = listed();
        } else if (hint > number) {
            number = store.exists(file(hint)) ? hint : listed();
        }
        while (number > 0 && store.exists(file(number + 1))) {
            number++;
        }
        return number;
    }

    private int hint() {
        byte[] content = store.read(metadataFileLocation(HINT));
        if (content == null) {
            return 0;
        }
        String text = new String(content, StandardCharsets.UTF_8).strip();
        return text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
    }

    private int listed() {
        int newest = 0;
        int compressed = 0;
        for (String name : store.names(metadataFileLocation(""))) {
            newest = Math.max(newest, versionOf(name));
            compressed = Math.max(compressed, versionOf(name.replace(".gz.metadata.json", ".metadata.json")));
        }
        if (compressed > newest) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "version " + compressed + " of the table at " + location + " has compressed metadata, expected "
                            + file(compressed) + ": another client has set write.metadata.compression-codec; unpack "
                            + "the newest file to that name and set the property to none");
        }
        return newest;
    }

    private Version load(int number, @Nullable Version known) {
        byte[] content = store.read(file(number));
        if (content == null) {
            throw new ColdTierException(
                    Kind.UNAVAILABLE, "the archive's " + file(number) + " has just gone; it is looked for again");
        }
        TableMetadata metadata = parse(number, content);
        if (known != null && !known.metadata.uuid().equals(metadata.uuid())) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "the archive's table at " + location + " has been replaced by another (uuid " + metadata.uuid()
                            + ", expected " + known.metadata.uuid() + "); start again to go on with that one");
        }
        return new Version(number, metadata);
    }

    private TableMetadata parse(int number, byte[] content) {
        try {
            return TableMetadataParser.fromJson(file(number), new String(content, StandardCharsets.UTF_8));
        } catch (RuntimeException e) {
            throw new ColdTierException(
                    Kind.CORRUPT, "the archive's " + file(number) + " is no Iceberg metadata: " + e.getMessage(), e);
        }
    }

    private String file(int number) {
        return metadataFileLocation(String.format(Locale.ROOT, "v%d.metadata.json", number));
    }

    @Override
    public FileIO io() {
        return io;
    }

    @Override
    public String metadataFileLocation(String fileName) {
        return location + "/metadata/" + fileName;
    }

    @Override
    public LocationProvider locationProvider() {
        return LocationProviders.locationsFor(location, current().properties());
    }
}
