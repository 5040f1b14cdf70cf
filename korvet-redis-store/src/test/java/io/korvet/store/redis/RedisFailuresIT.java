package io.korvet.store.redis;

import static io.korvet.store.Stages.await;
import static io.korvet.store.Stages.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.AppendResult.Appended;
import io.korvet.store.AppendResult.Stale;
import io.korvet.store.Batches;
import io.korvet.store.GroupImages;
import io.korvet.store.LifeSigns;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.Stages;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.StreamName;
import io.korvet.store.WriterUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What happens when Redis refuses, is written to by others, forgets scripts, hangs or dies. */
@ParameterizedClass
@MethodSource("io.korvet.store.redis.RedisServerBinary#all")
class RedisFailuresIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final String STREAM = "korvet:storage:local:{orders:0}:0";
    private static final String INCARNATION = "first";
    private static final WriterUpdate WRITER = new WriterUpdate("7", "", "7:1");

    @Parameter
    RedisServerBinary binary = RedisServerBinary.preferred();

    private RedisServerProcess server;
    private RedisStore store;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void start() {
        server = RedisServerProcess.start(binary);
        store = Stages.await(
                RedisStore.open(RedisStoreOptions.of(server.uri()).withCommandTimeout(Duration.ofSeconds(2))));
        Stages.await(store.entries().create(ORDERS, INCARNATION));
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
    }

    private LogState state() {
        return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
    }

    private Batches next() {
        return Batches.to(ORDERS, INCARNATION).after(state(), new TimeEncoding(10));
    }

    private AppendBatch batch(String... values) {
        return next().values(store.entries(), values);
    }

    private List<String> values(long segment) {
        RecordingSink sink = new RecordingSink();
        Stages.await(store.entries().read(ORDERS, segment, StreamEntryId.MINIMUM, 100_000, sink));
        return sink.entries().stream().map(RecordingSink.Entry::value).toList();
    }

    @Test
    void atTheMemoryLimitNothingIsWritten() {
        Stages.await(store.entries().append(batch("a")));
        LogState before = state();
        AppendBatch withWriter = next().writers(WRITER).values(store.entries(), "b", "c");
        AppendBatch rolling = next().rolling().values(store.entries(), "b", "c");
        server.command("CONFIG", "SET", "maxmemory", "1");
        assertThat(failure(store.entries().append(withWriter)).kind()).isEqualTo(Kind.OUT_OF_MEMORY);
        assertThat(failure(store.entries().append(rolling)).kind()).isEqualTo(Kind.OUT_OF_MEMORY);
        server.command("CONFIG", "SET", "maxmemory", "0");
        assertThat(state()).isEqualTo(before);
        assertThat(values(0)).containsExactly("a");
        assertThat(Stages.await(store.entries().writerState(ORDERS, "7"))).isNull();
    }

    @Test
    void atTheMemoryLimitAGroupIsReadAndStaysAsItIs() {
        GroupImages images = store.groupImages();
        GroupImages.Image image =
                new GroupImages.Image(GroupImages.State.EMPTY, 3, "consumer", null, null, 1, List.of());
        long epoch = Stages.await(images.claim("g")).epoch();
        Stages.await(images.save("g", epoch, image));
        server.command("CONFIG", "SET", "maxmemory", "1");
        GroupImages.Claim claim = Stages.await(images.claim("g"));
        assertThat(claim.image()).isEqualTo(image);
        assertThat(claim.isStored()).isFalse();
        assertThat(claim.epoch()).isGreaterThan(epoch);
        assertThat(Stages.await(images.epoch("g"))).as("nobody is passed over").isEqualTo(epoch);
        GroupImages.Image next =
                new GroupImages.Image(GroupImages.State.REBALANCING, 4, "consumer", "range", null, 2, List.of());
        assertThat(failure(images.save("g", epoch, next)).kind()).isEqualTo(Kind.OUT_OF_MEMORY);
        assertThat(failure(images.save("g", claim.epoch(), next)).kind()).isEqualTo(Kind.OUT_OF_MEMORY);
        server.command("CONFIG", "SET", "maxmemory", "0");
        assertThat(Stages.await(images.claim("g")).image()).isEqualTo(image);
    }

    @Test
    void aGroupThatCanNotBeReadCountsAsNotThereAndCanBeWrittenAnew() {
        GroupImages images = store.groupImages();
        for (String field : List.of("state", "generation", "member:m")) {
            server.command("HSET", "korvet:broker:group:{g}", "state", "EMPTY", "generation", "1", field, "{oops");
            GroupImages.Claim claim = Stages.await(images.claim("g"));
            assertThat(claim.image()).as(field).isNull();
            GroupImages.Image image =
                    new GroupImages.Image(GroupImages.State.EMPTY, 3, "consumer", null, null, 1, List.of());
            assertThat(Stages.await(images.save("g", claim.epoch(), image))).isTrue();
            assertThat(Stages.await(images.claim("g")).image()).as(field).isEqualTo(image);
        }
    }

    @Test
    void aKeyOfTheWrongTypeIsMetBeforeAnythingIsWritten() {
        Stages.await(store.entries().append(batch("a")));
        for (String part : List.of("producers", "segments")) {
            String key = "korvet:storage:local:{orders:0}:" + part;
            server.command("SET", key, "oops");
            AppendBatch batch = next0(part).values(store.entries(), "b");
            assertThat(failure(store.entries().append(batch)).kind()).as(part).isEqualTo(Kind.REFUSED);
            server.command("DEL", key);
            assertThat(values(0)).containsExactly("a");
        }
        server.command("DEL", STREAM);
        server.command("SET", STREAM, "oops");
        assertThat(failure(store.entries().append(batch("b"))).kind()).isEqualTo(Kind.REFUSED);
    }

    private Batches next0(String part) {
        if (part.equals("segments")) {
            // The state can't be read while the catalog has the wrong type.
            return Batches.to(ORDERS, INCARNATION)
                    .expecting(new StreamEntryId(Batches.NOW, 0))
                    .first(new StreamEntryId(Batches.NOW, 1))
                    .rolling();
        }
        return next().writers(WRITER);
    }

    @Test
    void anEntryOfAnotherClientAboveTheProposalRefusesItWhole() {
        Stages.await(store.entries().append(batch("a")));
        AppendBatch batch = next().writers(WRITER).values(store.entries(), "b", "c", "d");
        server.command("XADD", STREAM, Batches.NOW + "-2", "value", "foreign");
        Stale stale = (Stale) Stages.await(store.entries().append(batch));
        StreamEntryId foreign = new StreamEntryId(Batches.NOW, 2);
        assertThat(stale.state().last()).isEqualTo(foreign);
        assertThat(stale.state().entries()).isEqualTo(2);
        assertThat(values(0)).containsExactly("a", "foreign");
        assertThat(Stages.await(store.entries().writerState(ORDERS, "7"))).isNull();
        Appended appended = (Appended) Stages.await(store.entries().append(batch("b")));
        assertThat(appended.previousLast()).isEqualTo(foreign);
        assertThat(values(0)).containsExactly("a", "foreign", "b");
    }

    @Test
    void anEntryOfAnotherClientBelowTheProposalIsToldAndCounted() {
        AppendBatch batch = next().first(new StreamEntryId(Batches.NOW + 10, 0)).values(store.entries(), "b");
        server.command("XADD", STREAM, Batches.NOW + "-5", "value", "foreign");
        Appended appended = (Appended) Stages.await(store.entries().append(batch));
        assertThat(appended.previousLast()).isEqualTo(new StreamEntryId(Batches.NOW, 5));
        assertThat(appended.segmentEntries()).isEqualTo(2);
        assertThat(state().open().first()).isEqualTo(new StreamEntryId(Batches.NOW, 5));
    }

    @Test
    void sealingCountsEntriesOfAnotherClient() {
        Stages.await(store.entries().append(batch("a")));
        server.command("XADD", STREAM, Batches.NOW + 7 + "-3", "value", "foreign");
        assertThat(Stages.await(store.segments().seal(ORDERS, INCARNATION, 0, Batches.NOW)))
                .isEqualTo(SegmentCatalog.Outcome.DONE);
        StreamEntryId foreign = new StreamEntryId(Batches.NOW + 7, 3);
        assertThat(state().last()).isEqualTo(foreign);
        assertThat(state().sealed())
                .singleElement()
                .matches(row -> row.entries() == 2 && foreign.equals(row.last()))
                .matches(row -> new StreamEntryId(Batches.NOW, 0).equals(row.first()))
                .matches(row -> row.lastTimestamp() == Batches.NOW + 7 && row.firstTimestamp() <= Batches.NOW);
        server.command("XADD", "korvet:storage:local:{orders:0}:1", "*", "value", "x");
        assertThat(Stages.await(store.segments().seal(ORDERS, INCARNATION, 1, Batches.NOW)))
                .isEqualTo(SegmentCatalog.Outcome.DONE);
        assertThat(state().sealed()).hasSize(2);
    }

    @Test
    void aRollDoesNotHideAnEntryOfAnotherClient() {
        Stages.await(store.entries().append(batch("a")));
        AppendBatch rolling = next().rolling().values(store.entries(), "b");
        server.command("XADD", STREAM, "*", "value", "foreign");
        Stale stale = (Stale) Stages.await(store.entries().append(rolling));
        assertThat(stale.state().sealed()).isEmpty();
        assertThat(stale.state().open().entries()).isEqualTo(2);
        StreamEntryId last = Objects.requireNonNull(stale.state().last());
        Appended rolled = (Appended) Stages.await(store.entries()
                .append(next().first(new StreamEntryId(last.milliseconds() + 1, 0))
                        .rolling()
                        .values(store.entries(), "b")));
        assertThat(rolled.segment()).isEqualTo(1);
        assertThat(rolled.previousLast()).isEqualTo(last);
        assertThat(state().sealed()).extracting(Segment::last).containsExactly(last);
    }

    @Test
    void entriesAboveAMebibyteAreKept() {
        String large = "x".repeat(3 << 20);
        Stages.await(store.entries().append(batch(large, "b", large)));
        assertThat(values(0)).containsExactly(large, "b", large);
    }

    @Test
    void forgottenScriptsAreLoadedAgainAndTheOrderIsKept() {
        LogState before = state();
        server.command("SCRIPT", "FLUSH");
        List<CompletionStage<AppendResult>> answers = new ArrayList<>();
        StreamEntryId last = null;
        for (int i = 0; i < 200; i++) {
            StreamEntryId id = new StreamEntryId(Batches.NOW + i, 0);
            answers.add(store.entries()
                    .append(Batches.to(ORDERS, INCARNATION)
                            .expecting(last)
                            .first(id)
                            .values(store.entries(), Integer.toString(i))));
            last = id;
            if (i == 100) {
                server.command("SCRIPT", "FLUSH");
            }
        }
        answers.forEach(answer -> assertThat(Stages.await(answer).kind()).isEqualTo(AppendResult.Kind.APPENDED));
        assertThat(before.last()).isNull();
        assertThat(values(0)).hasSize(200).isSortedAccordingTo((a, b) -> Integer.parseInt(a) - Integer.parseInt(b));
    }

    @Test
    void aCallWithoutAnAnswerInTimeLeavesTheOutcomeOpenAndIsNotSentTwice() {
        server.pause();
        CompletionStage<AppendResult> append = store.entries().append(batchWithoutState(null, "a"));
        CompletionStage<Integer> read = store.entries().read(ORDERS, 0, StreamEntryId.MINIMUM, 10, new RecordingSink());
        assertThat(failure(append).kind()).isEqualTo(Kind.OUTCOME_UNKNOWN);
        assertThat(failure(read).kind()).isEqualTo(Kind.UNAVAILABLE);
        server.resume();
        awaitConnected();
        awaitAppended("b");
        assertThat(values(0)).isIn(List.of("a", "b"), List.of("b"));
    }

    @Test
    void aServerThatDiesWithAppendsUnderWayLeavesTheirOutcomeOpen() {
        server.pause();
        List<CompletionStage<AppendResult>> appends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            StreamEntryId last = i == 0 ? null : new StreamEntryId(Batches.NOW, i - 1);
            appends.add(store.entries()
                    .append(Batches.to(ORDERS, INCARNATION)
                            .expecting(last)
                            .first(new StreamEntryId(Batches.NOW, i))
                            .values(store.entries(), "a")));
        }
        CompletionStage<Void> ping = store.ping();
        await().until(() -> !appends.get(9).toCompletableFuture().isDone());
        server.kill();
        appends.forEach(append -> assertThat(failure(append).kind()).isIn(Kind.OUTCOME_UNKNOWN, Kind.UNAVAILABLE));
        assertThat(failure(appends.get(0)).kind()).isEqualTo(Kind.OUTCOME_UNKNOWN);
        assertThat(failure(ping).kind()).isEqualTo(Kind.UNAVAILABLE);
        server.restart();
        awaitConnected();
        Stages.await(store.entries().create(ORDERS, INCARNATION));
        awaitAppended("b");
        assertThat(values(0)).containsExactly("b");
    }

    private void awaitAppended(String value) {
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            try {
                return Stages.await(store.entries().append(batch(value))).kind() == AppendResult.Kind.APPENDED;
            } catch (StoreException e) {
                return false;
            }
        });
    }

    private AppendBatch batchWithoutState(@Nullable StreamEntryId last, String value) {
        return Batches.to(ORDERS, INCARNATION).expecting(last).values(store.entries(), value);
    }

    private void awaitConnected() {
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            try {
                Stages.await(store.ping());
                Stages.await(store.entries().seekTimestamp(ORDERS, 0, 1));
                return true;
            } catch (StoreException e) {
                return false;
            }
        });
    }

    @Test
    void aServerKilledAndStartedAgainIsUsedAgain() {
        Stages.await(store.entries().append(batch("a")));
        server.kill();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> failure(store.entries().state(ORDERS)).kind() == Kind.UNAVAILABLE);
        AppendBatch batch = batchWithoutState(new StreamEntryId(Batches.NOW, 0), "x", 1);
        assertThat(failure(store.entries().append(batch)).kind()).isEqualTo(Kind.UNAVAILABLE);
        server.restart();
        awaitConnected();
        Stages.await(store.entries().create(ORDERS, INCARNATION));
        awaitAppended("b");
        assertThat(values(0)).containsExactly("b");
    }

    private AppendBatch batchWithoutState(StreamEntryId last, String value, int step) {
        return Batches.to(ORDERS, INCARNATION)
                .expecting(last)
                .first(new StreamEntryId(last.milliseconds(), last.sequence() + step))
                .values(store.entries(), value);
    }

    @Test
    void aClientKilledByTheServerConnectsAgain() {
        server.command("CLIENT", "KILL", "TYPE", "normal");
        awaitConnected();
        awaitAppended("a");
        assertThat(values(0)).containsExactly("a");
    }

    @Test
    void aConnectionForSignsOfLifeWhoseSubscriptionWasSwallowedIsMadeAnew() {
        try (SwallowingRelay relay = new SwallowingRelay(server.port(), "SUBSCRIBE", 1);
                RedisStore behind =
                        Stages.await(RedisStore.open(RedisStoreOptions.of("redis://127.0.0.1:" + relay.port())
                                .withCommandTimeout(Duration.ofMillis(500))));
                LifeSigns.Presence presence = behind.lifeSigns().appear("1")) {
            Stages.await(store.lifeSigns().write("1", "", "a"));
            await().until(() -> relay.left() == 0);
            await().until(() -> {
                presence.renew();
                LifeSigns.Look seen = Stages.await(store.lifeSigns().look("1"));
                return seen.signs().equals(Map.of("1", new LifeSigns.Sign("a", 1)));
            });
        }
    }

    @Test
    void openingWhereNobodyListensSaysWhatToDo() {
        server.kill();
        String uri = "redis://somebody:secret@127.0.0.1:" + server.port();
        StoreException failure = failure(RedisStore.open(RedisStoreOptions.of(uri)));
        assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining("127.0.0.1:" + server.port())
                .hasMessageContaining("Check that the server runs")
                .message()
                .doesNotContain("secret");
    }

    @Test
    void callsBeyondTheBoundFailAtOnce() {
        try (RedisStore small =
                Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri()).withMaxPendingCalls(20)))) {
            server.pause();
            List<CompletionStage<Void>> pings = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                pings.add(small.ping());
            }
            assertThat(pings.stream().filter(ping -> ping.toCompletableFuture().isCompletedExceptionally()))
                    .hasSize(10);
            server.resume();
            pings.subList(0, 20).forEach(Stages::await);
        }
    }
}
