package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ArchiveLocation.Scheme;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the table through a standard Iceberg catalog: {@code korvet.storage.remote.iceberg.catalog.*} are its properties
 * as Iceberg documents them, with {@code korvet.storage.remote.path} as the default for {@code warehouse} and the S3
 * settings as those of its files. Korvet's own are {@code namespace}, and {@code name}, by which some catalogs (JDBC) keep
 * their tables apart; both are {@code korvet} by default.
 */
final class Catalogs {

    private static final Logger LOGGER = LoggerFactory.getLogger(Catalogs.class);
    private static final String PREFIX = "korvet.storage.remote.iceberg.catalog.";
    private static final String DEFAULT_NAME = "korvet";
    private static final String NAME = "name";
    private static final String NAMESPACE = "namespace";
    /** What JDBC says when no driver feels concerned. */
    private static final String NO_DRIVER = "No suitable driver";

    /** In milliseconds. */
    private static final long LONGEST_CONNECT = 5_000;

    /** How often a catalog is asked for while others make its tables: more than it makes of them. */
    private static final int ATTEMPTS = 4;

    private Catalogs() {}

    static TableSource open(ArchiveSettings settings, ArchiveLocation location) {
        Map<String, String> properties = properties(settings, location);
        Catalog catalog = catalog(settings, properties);
        Runnable close = () -> close(catalog);
        try {
            TableIdentifier identifier = TableIdentifier.of(
                    Namespace.of(settings.catalog()
                            .getOrDefault(NAMESPACE, DEFAULT_NAME)
                            .split("\\.", -1)),
                    ArchiveSchema.TABLE);
            Table table = catalog.tableExists(identifier)
                    ? catalog.loadTable(identifier)
                    : create(catalog, identifier, settings);
            if (!(table instanceof HasTableOperations operations)) {
                throw refused(settings, "its tables can't be committed to by this process");
            }
            return new TableSource(identifier.toString(), operations.operations(), () -> {}, close);
        } catch (RuntimeException | Error e) {
            close.run();
            throw e;
        }
    }

    private static Map<String, String> properties(ArchiveSettings settings, ArchiveLocation location) {
        Map<String, String> properties = new HashMap<>();
        properties.put(CatalogProperties.WAREHOUSE_LOCATION, location.root());
        if (location.scheme() == Scheme.S3) {
            properties.putAll(S3Clients.properties(settings));
            properties.put(CatalogProperties.FILE_IO_IMPL, S3FileIO.class.getName());
        } else {
            properties.put(CatalogProperties.FILE_IO_IMPL, LocalFileIO.class.getName());
        }
        // A REST catalog's client: its calls end in time, too, and are not repeated for half a minute.
        long timeout = settings.callTimeout().toMillis() / 2;
        properties.put("rest.client.connection-timeout-ms", Long.toString(Math.min(LONGEST_CONNECT, timeout)));
        properties.put("rest.client.socket-timeout-ms", Long.toString(timeout));
        properties.put("rest.client.max-retries", "2");
        // For clients of AWS that Iceberg makes itself; it is the one among Korvet's jars.
        properties.put("http-client.type", "urlconnection");
        properties.putAll(settings.catalog());
        properties.remove(NAMESPACE);
        properties.remove(NAME);
        return properties;
    }

    private static Catalog catalog(ArchiveSettings settings, Map<String, String> properties) {
        if (!properties.containsKey(CatalogUtil.ICEBERG_CATALOG_TYPE)
                && !properties.containsKey(CatalogProperties.CATALOG_IMPL)) {
            throw refused(settings, "neither type nor catalog-impl");
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return CatalogUtil.buildIcebergCatalog(
                        settings.catalog().getOrDefault(NAME, DEFAULT_NAME), properties, new Configuration(false));
            } catch (IllegalArgumentException | UnsupportedOperationException | LinkageError e) {
                String jar = MissingJars.advice(e);
                throw new ColdTierException(
                        Kind.REFUSED, message(settings, jar.isEmpty() ? String.valueOf(e.getMessage()) : jar), e);
            } catch (UncheckedSQLException e) {
                String cause = String.valueOf(
                        e.getCause() == null ? null : e.getCause().getMessage());
                if (cause.startsWith(NO_DRIVER)) {
                    throw new ColdTierException(Kind.REFUSED, message(settings, cause), e);
                }
                // Of processes that make Iceberg's tables in a new database at the same time one is told so; the next
                // attempt finds them made.
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static Table create(Catalog catalog, TableIdentifier identifier, ArchiveSettings settings) {
        if (catalog instanceof SupportsNamespaces namespaces && !namespaces.namespaceExists(identifier.namespace())) {
            try {
                namespaces.createNamespace(identifier.namespace());
            } catch (AlreadyExistsException e) {
                // another process was faster, which is as well
            } catch (UncheckedSQLException e) {
                // a database says the same in words of its own
                if (!namespaces.namespaceExists(identifier.namespace())) {
                    throw e;
                }
            }
        }
        Map<String, String> properties = new HashMap<>(ArchiveSchema.properties(settings));
        properties.put("write.metadata.delete-after-commit.enabled", "true");
        try {
            Table table = catalog.buildTable(identifier, ArchiveSchema.SCHEMA)
                    .withPartitionSpec(ArchiveSchema.SPEC)
                    .withSortOrder(ArchiveSchema.ORDER)
                    .withProperties(properties)
                    .create();
            spareWhatIsThere(table);
            return table;
        } catch (AlreadyExistsException e) {
            return catalog.loadTable(identifier);
        }
    }

    /** Files that were there before the table are no orphans of it: they may be all of an archive whose catalog was lost. */
    private static void spareWhatIsThere(Table table) {
        String data = table.location() + "/data/";
        if (table.io() instanceof SupportsPrefixOperations files
                && files.listPrefix(data).iterator().hasNext()) {
            table.updateProperties().set(ArchiveSchema.SWEEP, "false").commit();
            LOGGER.atWarn()
                    .addKeyValue("table", table.name())
                    .addKeyValue("location", data)
                    .log("a new table was created where there are data files already; files that belong to nothing are"
                            + " not deleted there: register the old table in the catalog, or move its files away and"
                            + " remove the table's property " + ArchiveSchema.SWEEP);
        }
    }

    private static void close(Catalog catalog) {
        if (catalog instanceof Closeable closeable) {
            try {
                closeable.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static ColdTierException refused(ArchiveSettings settings, String problem) {
        return new ColdTierException(Kind.REFUSED, message(settings, problem));
    }

    private static String message(ArchiveSettings settings, String problem) {
        return PREFIX + "* (" + new TreeSet<>(settings.catalog().keySet()) + "): " + problem + "; expected " + PREFIX
                + "type (hadoop, jdbc, rest, glue …) or .catalog-impl, the properties that this catalog needs, and its "
                + "driver's jars in lib/extra; or none at all, for a table at korvet.storage.remote.path";
    }
}
