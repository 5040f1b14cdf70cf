package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ArchiveLocation.Scheme;
import io.korvet.tiering.iceberg.ObjectStore.Creation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.io.FileIO;

/** Opens the table that lies at {@code korvet.storage.remote.path} itself, and creates it when there is none. */
final class PathCatalog {

    /** An object that two creations are tried on. */
    static final String PROBE = "exclusive-creation.probe";

    private PathCatalog() {}

    static TableSource open(ArchiveSettings settings, ArchiveLocation location) {
        ObjectStore store;
        FileIO io;
        if (location.scheme() == Scheme.S3) {
            S3Clients clients = new S3Clients();
            clients.initialize(S3Clients.properties(settings));
            store = new S3Objects(clients.s3());
            S3FileIO files = new S3FileIO(clients::s3);
            files.initialize(S3Clients.properties(settings));
            io = files;
        } else {
            checkDirectory(location);
            LocalRoot root = new LocalRoot(LocalFiles.path(location.root()).toString());
            store = new LocalFiles(root);
            io = new LocalFileIO(root);
        }
        Runnable close = () -> {
            store.close();
            io.close();
        };
        PathTableOperations operations = new PathTableOperations(store, io, location.root());
        Runnable exclusive = () -> proveExclusive(store, location.root() + "/metadata/" + PROBE);
        try {
            if (operations.refresh() == null) {
                checkNothingIsThere(store, location.root());
                exclusive.run();
                create(settings, location, operations);
            }
        } catch (RuntimeException | Error e) {
            close.run();
            throw e;
        }
        return new TableSource(location.root(), operations, exclusive, close);
    }

    private static void create(ArchiveSettings settings, ArchiveLocation location, PathTableOperations operations) {
        try {
            operations.commit(
                    null,
                    TableMetadata.newTableMetadata(
                            ArchiveSchema.SCHEMA,
                            ArchiveSchema.SPEC,
                            ArchiveSchema.ORDER,
                            location.root(),
                            ArchiveSchema.properties(settings)));
        } catch (CommitFailedException e) {
            if (operations.refresh() == null) {
                throw e;
            }
        }
    }

    /** Data without metadata is an archive that lost it: an empty table would hide the rows and let a sweep delete them. */
    private static void checkNothingIsThere(ObjectStore store, String root) {
        if (store.hasAny(root + "/data/")) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "korvet.storage.remote.path '" + root + "' has files below " + root + "/data/ and no table's "
                            + "metadata below " + root + "/metadata/: restore metadata/ to go on with that table, or "
                            + "move data/ away to begin with an empty one");
        }
    }

    private static void proveExclusive(ObjectStore store, String probe) {
        store.create(probe, unique());
        if (store.create(probe, unique()) == Creation.CREATED) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "the object store of " + probe
                            + " replaces an object that a put with If-None-Match: * must not, so "
                            + "two writers could overwrite each other's commits; expected a store with conditional "
                            + "puts, or a catalog in korvet.storage.remote.iceberg.catalog.*");
        }
    }

    private static byte[] unique() {
        return ("Two writers can't both create this: " + UUID.randomUUID() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void checkDirectory(ArchiveLocation location) {
        Path path = LocalFiles.path(location.root());
        Path there = path;
        while (there != null && !Files.exists(there)) {
            there = there.getParent();
        }
        if (there == null || !Files.isDirectory(there)) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "korvet.storage.remote.path '" + location.root() + "': " + there
                            + " is a file; expected a directory, or a path at which one can be made");
        }
        if (!Files.isWritable(there)) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "korvet.storage.remote.path '" + location.root() + "': " + there
                            + " can't be written to; expected a directory that this process may write to");
        }
        try {
            Files.createDirectories(path);
        } catch (IOException e) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "korvet.storage.remote.path '" + location.root() + "': the directory can't be made, " + meaning(e)
                            + "; expected a directory that this process can make and write to",
                    e);
        }
    }

    /** What a file system says, of which some of it is in the class alone. */
    private static String meaning(IOException failure) {
        if (failure instanceof AccessDeniedException denied) {
            return "access to " + denied.getFile() + " is denied";
        }
        return failure instanceof FileSystemException told && told.getReason() != null
                ? told.getReason() + ": " + told.getFile()
                : failure.toString();
    }
}
