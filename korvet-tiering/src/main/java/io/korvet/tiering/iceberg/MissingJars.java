package io.korvet.tiering.iceberg;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names the jar of a class that a catalog needs and Korvet doesn't bring. */
final class MissingJars {

    private static final Map<String, String> JARS = Map.of(
            "software.amazon.awssdk.services.glue.", "software.amazon.awssdk:glue",
            "software.amazon.awssdk.services.dynamodb.", "software.amazon.awssdk:dynamodb",
            "software.amazon.awssdk.services.kms.", "software.amazon.awssdk:kms",
            "software.amazon.awssdk.protocols.json.", "software.amazon.awssdk:aws-json-protocol",
            "software.amazon.awssdk.http.apache.", "software.amazon.awssdk:apache-client",
            "org.apache.iceberg.hive.", "org.apache.iceberg:iceberg-hive-metastore",
            "org.apache.iceberg.nessie.", "org.apache.iceberg:iceberg-nessie",
            "org.apache.iceberg.gcp.", "org.apache.iceberg:iceberg-gcp");

    private static final Pattern CLASS = Pattern.compile(
            JARS.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|", "(", ")[\\w.$]+")));

    private MissingJars() {}

    /** What to do about a class that wasn't found; empty when a failure is about something else, or nobody knows its jar. */
    static String advice(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Matcher named = CLASS.matcher(String.valueOf(cause.getMessage()).replace('/', '.'));
            if (isMissing(cause) && named.find()) {
                return "class " + named.group() + " is missing: put " + JARS.get(named.group(1))
                        + " and what that needs into lib/extra (docs/configuration.md)";
            }
        }
        return "";
    }

    private static boolean isMissing(Throwable cause) {
        return cause instanceof LinkageError
                || cause instanceof ClassNotFoundException
                || String.valueOf(cause.getMessage()).contains(NoClassDefFoundError.class.getSimpleName())
                || String.valueOf(cause.getMessage()).contains(ClassNotFoundException.class.getSimpleName());
    }
}
