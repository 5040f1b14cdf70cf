package io.korvet.protocol;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** The one table of served API keys and their versions; {@link #SERVED} is the broker's. Immutable. */
public final class ApiCatalog {

    /** What this broker serves. */
    public static final ApiCatalog SERVED = new ApiCatalog(rows());

    private final Map<ApiKeys, Api> apis;

    /**
     * One served API key.
     *
     * @param key the API key
     * @param minimum the lowest version that is understood
     * @param maximum the highest version that is understood
     * @param advertisedMinimum the lowest version that ApiVersions tells; below {@code minimum} only for Produce, because
     *     librdkafka takes a broker without Produce 0 for one without any compression (KAFKA-18659)
     */
    public record Api(ApiKeys key, short minimum, short maximum, short advertisedMinimum) {

        /** Checks that the versions are an existing range. */
        public Api {
            if (minimum < key.oldestVersion() || maximum > key.latestVersion() || minimum > maximum) {
                throw new IllegalArgumentException(key + " has no versions " + minimum + " to " + maximum);
            }
        }

        /** Whether requests of that version are understood. */
        public boolean serves(short version) {
            return version >= minimum && version <= maximum;
        }
    }

    private ApiCatalog(Map<ApiKeys, Api> apis) {
        this.apis = Collections.unmodifiableMap(apis);
    }

    private static EnumMap<ApiKeys, Api> rows() {
        EnumMap<ApiKeys, Api> rows = new EnumMap<>(ApiKeys.class);
        add(rows, ApiKeys.API_VERSIONS, 0, 4);
        add(rows, ApiKeys.METADATA, 0, 13);
        add(rows, ApiKeys.DESCRIBE_CLUSTER, 0, 2);
        add(rows, ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, 0);
        rows.put(ApiKeys.PRODUCE, new Api(ApiKeys.PRODUCE, (short) 3, (short) 13, (short) 0));
        add(rows, ApiKeys.FETCH, 4, 18);
        add(rows, ApiKeys.LIST_OFFSETS, 1, 11);
        add(rows, ApiKeys.DELETE_RECORDS, 0, 2);
        add(rows, ApiKeys.OFFSET_FOR_LEADER_EPOCH, 2, 4);
        add(rows, ApiKeys.FIND_COORDINATOR, 0, 6);
        add(rows, ApiKeys.JOIN_GROUP, 0, 9);
        add(rows, ApiKeys.SYNC_GROUP, 0, 5);
        add(rows, ApiKeys.HEARTBEAT, 0, 4);
        add(rows, ApiKeys.LEAVE_GROUP, 0, 5);
        add(rows, ApiKeys.OFFSET_COMMIT, 2, 10);
        add(rows, ApiKeys.OFFSET_FETCH, 1, 10);
        add(rows, ApiKeys.OFFSET_DELETE, 0, 0);
        add(rows, ApiKeys.LIST_GROUPS, 0, 5);
        add(rows, ApiKeys.DESCRIBE_GROUPS, 0, 6);
        add(rows, ApiKeys.DELETE_GROUPS, 0, 2);
        add(rows, ApiKeys.CREATE_TOPICS, 2, 7);
        add(rows, ApiKeys.DELETE_TOPICS, 1, 6);
        add(rows, ApiKeys.CREATE_PARTITIONS, 0, 3);
        add(rows, ApiKeys.DESCRIBE_CONFIGS, 1, 4);
        add(rows, ApiKeys.ALTER_CONFIGS, 0, 2);
        add(rows, ApiKeys.INCREMENTAL_ALTER_CONFIGS, 0, 1);
        add(rows, ApiKeys.DESCRIBE_LOG_DIRS, 1, 5);
        // Version 6 (two-phase commit) is not stable in Kafka 4.3.
        add(rows, ApiKeys.INIT_PRODUCER_ID, 0, 5);
        return rows;
    }

    private static void add(Map<ApiKeys, Api> rows, ApiKeys key, int minimum, int maximum) {
        rows.put(key, new Api(key, (short) minimum, (short) maximum, (short) minimum));
    }

    /** The rows, by API key number. */
    public Collection<Api> apis() {
        return apis.values();
    }

    /** The row of an API key, {@code null} when it isn't served. */
    public @Nullable Api api(ApiKeys key) {
        return apis.get(key);
    }

    /** The same table with only some of its rows, for brokers that serve less. */
    public ApiCatalog only(Set<ApiKeys> keys) {
        EnumMap<ApiKeys, Api> rows = new EnumMap<>(apis);
        rows.keySet().retainAll(keys);
        return new ApiCatalog(rows);
    }

    /** The table as Markdown, as docs/kafka-contract.md has it. */
    public String toMarkdown() {
        StringBuilder table = new StringBuilder("| API | key | versions | advertised |\n| --- | ---: | --- | --- |\n");
        for (Api api : apis()) {
            table.append("| %s | %d | %s | %s |\n"
                    .formatted(
                            api.key().name,
                            api.key().id,
                            range(api.minimum(), api.maximum()),
                            range(api.advertisedMinimum(), api.maximum())));
        }
        return table.toString();
    }

    private static String range(short minimum, short maximum) {
        return minimum == maximum ? Short.toString(minimum) : minimum + "-" + maximum;
    }
}
