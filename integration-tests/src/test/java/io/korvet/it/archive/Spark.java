package io.korvet.it.archive;

import io.korvet.it.broker.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A local Spark with Iceberg in a process of its own, for one set of queries. */
public final class Spark {
    private static final String[] OPENED = {
        "java.lang",
        "java.lang.invoke",
        "java.lang.reflect",
        "java.io",
        "java.net",
        "java.nio",
        "java.util",
        "java.util.concurrent",
        "java.util.concurrent.atomic",
        "sun.nio.ch",
        "sun.nio.cs",
        "sun.security.action",
        "sun.util.calendar"
    };

    /**
     * What came of a query.
     *
     * @param readFiles how many data files it read
     * @param skippedFiles how many it could leave out by partition and bounds
     */
    public record Result(List<List<String>> rows, long readFiles, long skippedFiles) {}

    private Spark() {}

    /** Whether this run has it. */
    public static boolean isWanted() {
        return Engines.wanted("spark");
    }

    /** A catalog {@code archive} in which an archive is {@code archive.archive} that lies in a folder of that name. */
    public static List<String> inFolder(Path warehouse) {
        return List.of("type=hadoop", "warehouse=" + warehouse.toUri());
    }

    /** An empty catalog {@code archive} in a database, whose tables' files lie in an S3 bucket. */
    public static List<String> inS3(String bucket, URI endpoint, String region, String accessKey, String secretKey) {
        return List.of(
                "type=jdbc",
                "uri=jdbc:sqlite:" + ChildProcess.workFolder("catalog").resolve(bucket + ".db"),
                "jdbc.schema-version=V1",
                "warehouse=s3://" + bucket,
                "io-impl=org.apache.iceberg.aws.s3.S3FileIO",
                "s3.endpoint=" + endpoint,
                "s3.path-style-access=true",
                "s3.access-key-id=" + accessKey,
                "s3.secret-access-key=" + secretKey,
                "client.region=" + region);
    }

    /** Runs queries with a catalog {@code archive} of these properties. */
    public static List<Result> run(List<String> catalog, List<String> queries) {
        try {
            Path statements = Files.writeString(
                    ChildProcess.workFolder("input").resolve("spark.sql"), String.join("\n;\n", queries));
            List<String> command = new ArrayList<>(List.of(ChildProcess.java(), "-Xmx1g"));
            Stream.of(OPENED)
                    .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
                    .forEach(command::add);
            command.addAll(List.of("-cp", Engines.folder("spark").resolve("*").toString()));
            command.add(Engines.sources("spark").resolve("SparkQueries.java").toString());
            command.add(statements.toString());
            command.add("spark.sql.catalog.archive=org.apache.iceberg.spark.SparkCatalog");
            catalog.forEach(property -> command.add("spark.sql.catalog.archive." + property));
            try (ChildProcess spark = ChildProcess.start("spark", command)) {
                int code = spark.awaitExit(Duration.ofMinutes(4));
                if (code != 0) {
                    throw new AssertionError("Spark ended with " + code + ":\n" + spark.output());
                }
                return results(spark.output());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Result> results(String output) {
        List<Result> results = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        for (String line : output.lines().toList()) {
            if (line.startsWith("|")) {
                rows.add(Arrays.asList(line.substring(1, line.length() - 1).split("\\|", -1)));
            } else if (line.startsWith("#files ")) {
                String[] numbers = line.split(" ", -1);
                results.add(new Result(rows, Long.parseLong(numbers[1]), Long.parseLong(numbers[2])));
                rows = new ArrayList<>();
            }
        }
        return results;
    }
}
