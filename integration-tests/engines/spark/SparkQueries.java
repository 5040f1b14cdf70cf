import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Runs SQL statements in a local Spark with Iceberg, and prints each result: its rows as lines of values between bars, then
 * {@code #files} with how many data files were read and how many skipped. Started from its source on the class path that run copies, so it isn't compiled with
 * the build.
 *
 * <p>Arguments: the file with the statements, separated by lines that hold a semicolon only; then the session's settings as
 * {@code name=value}.
 */
public final class SparkQueries {

    private SparkQueries() {}

    private static long files(SparkPlan plan, String metric) {
        return CollectionConverters.asJava(plan.collectLeaves()).stream()
                .flatMap(leaf -> CollectionConverters.asJava(leaf.metrics()).entrySet().stream())
                .filter(entry -> entry.getKey().equals(metric))
                .mapToLong(entry -> entry.getValue().value())
                .sum();
    }

    public static void main(String[] arguments) throws Exception {
        SparkSession.Builder builder = SparkSession.builder()
                .master("local[1]")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.adaptive.enabled", "false")
                .config("spark.sql.shuffle.partitions", "1");
        for (String setting : List.of(arguments).subList(1, arguments.length)) {
            int equals = setting.indexOf('=');
            builder.config(setting.substring(0, equals), setting.substring(equals + 1));
        }
        try (SparkSession spark = builder.getOrCreate()) {
            String[] statements = Files.readString(Path.of(arguments[0])).split("(?m)^;\\s*$");
            for (String statement : statements) {
                Dataset<Row> result = spark.sql(statement);
                for (Row row : result.collectAsList()) {
                    System.out.println("|" + row.mkString("|") + "|");
                }
                SparkPlan plan = result.queryExecution().executedPlan();
                System.out.println(
                        "#files " + files(plan, "resultDataFiles") + " " + files(plan, "skippedDataFiles"));
            }
        }
    }
}
