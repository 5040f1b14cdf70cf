package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult;
import io.korvet.store.AppendResult.Appended;
import io.korvet.store.AppendResult.Uncopied;
import io.korvet.store.Batches;
import io.korvet.store.RecordingSink;
import io.korvet.store.Stages;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import io.korvet.store.WriterUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Appends that wait for replicas, and what becomes of them when the master is lost. */
class ReplicasIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final String INCARNATION = "first";

    private RedisServerProcess master;
    private RedisServerProcess replica;
    private RedisStore store;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void start() {
        master = RedisServerProcess.start();
        replica = RedisServerProcess.start("--replicaof", "127.0.0.1", Integer.toString(master.port()));
        SentinelProcesses.awaitReplicas(master, 1);
        store = open(master.uri());
    }

    private static RedisStore open(String uri) {
        RedisStore opened =
                Stages.await(RedisStore.open(RedisStoreOptions.of(uri).withCommandTimeout(Duration.ofSeconds(2))));
        Stages.await(opened.entries().create(ORDERS, INCARNATION));
        return opened;
    }

    @AfterEach
    void stop() {
        store.close();
        replica.close();
        master.close();
    }

    private Batches next() {
        return Batches.to(ORDERS, INCARNATION)
                .after(Objects.requireNonNull(Stages.await(store.entries().state(ORDERS))), new TimeEncoding(10));
    }

    private AppendResult append(int replicas, String... values) {
        return Stages.await(store.entries().append(next().values(store.entries(), values), replicas));
    }

    private List<String> values() {
        RecordingSink sink = new RecordingSink();
        Stages.await(store.entries().read(ORDERS, 0, StreamEntryId.MINIMUM, 100_000, sink));
        return sink.entries().stream().map(RecordingSink.Entry::value).toList();
    }

    @Test
    void anAppendIsToldWhenItsReplicasAreTooFew() {
        assertThat(append(1, "a")).isInstanceOf(Appended.class);
        Uncopied uncopied = (Uncopied) append(2, "b");
        assertThat(uncopied.copies()).isEqualTo(1);
        replica.pause();
        assertThat(append(0, "c")).isInstanceOf(Appended.class);
        assertThat(append(1, "d")).isInstanceOf(Uncopied.class);
        replica.resume();
        assertThat(append(1, "e")).isInstanceOf(Appended.class);
        assertThat(values()).containsExactly("a", "b", "c", "d", "e");
    }

    @Test
    void manyAppendsShareTheWaitAndKeepTheirOrderAlsoWhenScriptsAreForgotten() {
        List<CompletionStage<AppendResult>> answers = new ArrayList<>();
        StreamEntryId last = null;
        for (int i = 0; i < 500; i++) {
            StreamEntryId id = new StreamEntryId(Batches.NOW + i, 0);
            answers.add(store.entries()
                    .append(
                            Batches.to(ORDERS, INCARNATION)
                                    .expecting(last)
                                    .first(id)
                                    .values(store.entries(), Integer.toString(i)),
                            1));
            last = id;
            if (i == 100) {
                master.command("SCRIPT", "FLUSH");
            }
        }
        answers.forEach(answer -> assertThat(Stages.await(answer)).isInstanceOf(Appended.class));
        assertThat(values()).hasSize(500);
        String waits = master.words("INFO", "commandstats").stream()
                .filter(line -> line.startsWith("cmdstat_wait:"))
                .findFirst()
                .orElseThrow();
        assertThat(Integer.parseInt(waits.replaceAll(".*calls=(\\d+),.*", "$1")))
                .as(waits)
                .isLessThan(250);
    }

    @Test
    void aWritersStateIsToldWithItsCopies() {
        Stages.await(store.entries()
                .append(next().writers(new WriterUpdate("7", "", "7:1")).values(store.entries(), "a")));
        assertThat(Stages.await(store.entries().copiedWriterState(ORDERS, "7", 1)))
                .isEqualTo(new io.korvet.store.EntryLog.CopiedState("7:1", 1));
        assertThat(Stages.await(store.entries().copiedWriterState(ORDERS, "8", 1))
                        .state())
                .isNull();
        replica.pause();
        assertThat(Stages.await(store.entries().copiedWriterState(ORDERS, "7", 1)))
                .isEqualTo(new io.korvet.store.EntryLog.CopiedState("7:1", 0));
        replica.resume();
    }

    @Test
    void theStoreFollowsTheSentinelsWhenAMasterBecomesAReplicaAndWhenItDies() {
        store.close();
        try (SentinelProcesses redis = new SentinelProcesses(1)) {
            store = open(redis.uri());
            append(1, "a");
            RedisServerProcess former = redis.master();
            redis.failOver();
            await().atMost(Duration.ofSeconds(30)).until(() -> redis.master() != former);
            SentinelProcesses.awaitReplicas(redis.master(), 1);
            awaitAppended(1, "b");
            assertThat(former.command("INFO", "replication")).contains("role:slave");

            redis.master().kill();
            awaitAppended(0, "c");
            assertThat(values()).containsExactly("a", "b", "c");
            assertThat(append(1, "d")).isInstanceOf(Uncopied.class);
            store.close();
        }
    }

    private void awaitAppended(int replicas, String value) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            try {
                return append(replicas, value) instanceof Appended;
            } catch (StoreException e) {
                return false;
            }
        });
    }
}
