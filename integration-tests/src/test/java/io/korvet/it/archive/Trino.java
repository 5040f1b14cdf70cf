package io.korvet.it.archive;

import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** A Trino server of one node in a process of its own, with a catalog {@code archive} that reads this machine's files. */
public final class Trino implements AutoCloseable {
    private final int port = FreePorts.next();
    private final ChildProcess process;

    /**
     * Starts one on a JDK that it accepts, which {@code -Dkorvet.it.trino.java} names.
     *
     * @param properties of its catalog, beside those that read this machine's files
     */
    public Trino(List<String> properties) {
        try {
            Path folder = Files.createDirectories(ChildProcess.workFolder("trino-" + port));
            Path catalogs = Files.createDirectories(folder.resolve("catalog"));
            Path metastore = Files.createDirectories(folder.resolve("metastore"));
            Path config = Files.write(
                    folder.resolve("config.properties"),
                    List.of(
                            "coordinator=true",
                            "node-scheduler.include-coordinator=true",
                            "http-server.http.port=" + port,
                            "discovery.uri=http://127.0.0.1:" + port,
                            "node.internal-address=127.0.0.1",
                            "query.max-memory=256MB",
                            "query.max-memory-per-node=256MB"));
            List<String> catalog = new ArrayList<>(List.of(
                    "connector.name=iceberg",
                    "iceberg.catalog.type=TESTING_FILE_METASTORE",
                    "hive.metastore.catalog.dir=local://" + metastore,
                    "fs.native-local.enabled=true",
                    "local.location=/",
                    "iceberg.register-table-procedure.enabled=true"));
            catalog.addAll(properties);
            Files.write(catalogs.resolve("archive.properties"), catalog);
            Path home = home();
            process = ChildProcess.start(
                    "trino",
                    List.of(
                            System.getProperty("korvet.it.trino.java", ChildProcess.java()),
                            "-Xmx1500m",
                            "-Djdk.attach.allowAttachSelf=true",
                            "--add-modules=jdk.incubator.vector",
                            "-Dconfig=" + config,
                            "-Dnode.environment=test",
                            "-Dnode.id=one",
                            "-Dnode.data-dir=" + folder,
                            "-Dcatalog.config-dir=" + catalogs,
                            "-Dplugin.dir=" + home.resolve("plugin"),
                            "-cp",
                            home.resolve("lib").resolve("*").toString(),
                            "io.trino.server.TrinoServer"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("Trino is ready; log " + process.log())
                .atMost(Duration.ofMinutes(4))
                .failFast(process::assertAlive)
                .until(() -> process.output().contains("SERVER STARTED"));
    }

    private static Path home() throws IOException {
        try (Stream<Path> files = Files.list(Engines.folder("trino"))) {
            return files.filter(file -> Files.isDirectory(file.resolve("lib")))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no Trino; start the test by integration-tests/engines/run"));
        }
    }

    /** Whether this run has it. */
    public static boolean isWanted() {
        return Engines.wanted("trino");
    }

    /** A connection, for one caller. */
    public JdbcEngine connect() {
        try (Stream<Path> files = Files.list(Engines.folder("trino"))) {
            Path jar = files.filter(file -> file.getFileName().toString().startsWith("trino-jdbc"))
                    .findFirst()
                    .orElseThrow();
            // Lives as long as the connection's classes do.
            URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
            Driver driver = (Driver) loader.loadClass("io.trino.jdbc.TrinoDriver")
                    .getDeclaredConstructor()
                    .newInstance();
            Properties user = new Properties();
            user.setProperty("user", "test");
            return JdbcEngine.connect(driver, "jdbc:trino://127.0.0.1:" + port + "/archive", user);
        } catch (IOException | ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
