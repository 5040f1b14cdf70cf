package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult;
import io.korvet.store.Batches;
import io.korvet.store.EntrySink;
import io.korvet.store.LogState;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.TopicCatalog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedisStoreIT {

    @ParameterizedTest
    @MethodSource("io.korvet.store.redis.RedisServerBinary#all")
    void appendsAndReads(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())))) {
            StreamName orders = new StreamName("orders:0");
            Stages.await(store.entries().create(orders, "a"));
            LogState state = Stages.await(store.entries().state(orders));
            AppendResult result = Stages.await(store.entries()
                    .append(Batches.to(orders, "a")
                            .after(state, new TimeEncoding(1))
                            .values(store.entries(), "one", "two", "three")));
            List<String> seen = new ArrayList<>();
            int count = Stages.await(store.entries().read(orders, 0, StreamEntryId.MINIMUM, 10, new EntrySink() {
                @Override
                public void entry(long milliseconds, long sequence) {
                    seen.add(milliseconds + "-" + sequence);
                }

                @Override
                public void field(int field, ByteBuffer value) {
                    seen.add(field + "=" + StandardCharsets.UTF_8.decode(value));
                }
            }));
            assertThat(count).isEqualTo(3);
            assertThat(seen).hasSize(6).endsWith("0=three");
            assertThat(result.kind()).isEqualTo(AppendResult.Kind.APPENDED);
            AppendResult stale = Stages.await(
                    store.entries().append(Batches.to(orders, "a").values(store.entries(), "one", "two", "three")));
            assertThat(stale.kind()).isEqualTo(AppendResult.Kind.STALE);
        }
    }

    @ParameterizedTest
    @MethodSource("io.korvet.store.redis.RedisServerBinary#all")
    void settingsThatDifferAreToldAndCanBeSet(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())))) {
            assertThat(Stages.await(store.advice().warnings()))
                    .anySatisfy(warning -> assertThat(warning).contains("stream-node-max-bytes is '4096'"));
            Stages.await(store.advice().apply());
            assertThat(Stages.await(store.advice().warnings())).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.korvet.store.redis.RedisServerBinary#all")
    void aMirroredGroupShowsInRedis(RedisServerBinary binary) {
        try (RedisServerProcess server = RedisServerProcess.start(binary);
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())))) {
            StreamName orders = new StreamName("orders:0");
            Stages.await(store.entries().create(orders, "a"));
            Stages.await(store.entries().append(Batches.to(orders, "a").values(store.entries(), "one", "two")));
            String stream = store.keys().segment(orders, 0);
            for (long sequence = 0; sequence < 2; sequence++) {
                StreamEntryId position = new StreamEntryId(Batches.NOW, sequence);
                Stages.await(store.deliveryGroups().position(orders, 0, "billing", position));
                assertThat(server.command("XINFO", "GROUPS", stream))
                        .contains("billing")
                        .contains(position.toString());
            }
            Stages.await(store.deliveryGroups().remove(orders, 0, "billing"));
            assertThat(server.command("XINFO", "GROUPS", stream)).doesNotContain("billing");
        }
    }

    @Test
    void logsMayHaveARedisOfTheirOwn() {
        try (RedisServerProcess metadata = RedisServerProcess.start();
                RedisServerProcess data = RedisServerProcess.start();
                RedisStore store = Stages.await(RedisStore.open(
                        RedisStoreOptions.of(metadata.uri()), RedisStoreOptions.of(data.uri()), null))) {
            StreamName orders = new StreamName("orders:0");
            Stages.await(store.entries().create(orders, "a"));
            Stages.await(store.entries().append(Batches.to(orders, "a").values(store.entries(), "one")));
            Stages.await(store.topics().add(new TopicCatalog.Topic("orders", "a", 1, Map.of(), 1)));
            Stages.await(store.leases().acquire("storage-worker", "me", Duration.ofMinutes(1)));
            Stages.await(store.brokers().compareAndSet("0", null, "row"));
            Stages.await(store.ping());
            assertThat(data.words("KEYS", "*"))
                    .contains("korvet:storage:local:{orders:0}:0", "korvet:storage:local:{orders:0}:meta")
                    .allMatch(key -> key.startsWith("korvet:storage:local:"));
            assertThat(metadata.words("KEYS", "*"))
                    .contains("korvet:topics", "korvet:lease:storage-worker", "korvet:broker:nodes")
                    .noneMatch(key -> key.startsWith("korvet:storage:local:"));
            assertThat(Stages.await(store.advice().warnings()))
                    .anyMatch(warning -> warning.contains("appendonly is 'no'"));
        }
    }
}
