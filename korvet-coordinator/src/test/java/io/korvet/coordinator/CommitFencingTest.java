package io.korvet.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.coordinator.GroupCoordinator.Stability;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits that are under way while the group goes on elsewhere, or on another connection, take no position back. */
class CommitFencingTest {

    private static final String GROUP = "g";
    private static final CommittedOffsets.Key KEY = new CommittedOffsets.Key("orders", 0);

    private final MemoryImages images = new MemoryImages();
    private final MemoryCommits commits = new MemoryCommits(images);
    private final Broker first = new Broker();
    private final Broker second = new Broker();

    /** A coordinator with a way of its own to the store. */
    private final class Broker {
        final LateStore store = new LateStore(commits, images);
        final ManualTimers timers = new ManualTimers();
        final List<ImageEvent> events = new ArrayList<>();
        final GroupCoordinator coordinator = new GroupCoordinator(
                GroupSettings.DEFAULTS,
                GroupServices.alone(store, store, Runnable::run, timers, timers).observedBy(new GroupObserver() {
                    @Override
                    public void committed(String group, Map<CommittedOffsets.Key, Position> positions) {}

                    @Override
                    public void image(String group, ImageEvent event) {
                        events.add(event);
                    }
                }));

        CompletableFuture<CommitResult> send(long offset) {
            return coordinator
                    .commit(new CommitRequest(
                            GROUP, "", null, -1, List.of(new CommitRequest.Commit(KEY, offset, 0, "", "id"))))
                    .toCompletableFuture();
        }

        GroupError commit(long offset) {
            CompletableFuture<CommitResult> reply = send(offset);
            settle();
            return now(reply).error();
        }

        OffsetsResult offsets() {
            CompletionStage<OffsetsResult> reply = coordinator.offsets(GROUP, Stability.AS_THEY_ARE);
            settle();
            return now(reply);
        }

        void settle() {
            while (store.isBusy()) {
                store.arrive();
            }
        }

        /** A commit that has left for the store and has not arrived there. */
        CompletableFuture<CommitResult> underWay(long offset) {
            assertThat(commit(offset - 1)).isEqualTo(GroupError.NONE);
            CompletableFuture<CommitResult> reply = send(offset);
            assertThat(store.isBusy()).isTrue();
            return reply;
        }
    }

    private static <T> T now(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).isDone();
        return future.join();
    }

    private long stored() {
        Position position = commits.groups.getOrDefault(GROUP, Map.of()).get(KEY);
        return position == null ? -1 : position.offset();
    }

    @Test
    void aCommitThatArrivesAfterOneOfTheNextCoordinatorIsRefusedAndTheGroupIsLetGo() {
        CompletableFuture<CommitResult> late = first.underWay(5);
        assertThat(second.commit(9)).isEqualTo(GroupError.NONE);

        first.settle();

        assertThat(now(late).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(stored()).isEqualTo(9);
        assertThat(first.events).containsExactly(ImageEvent.CLAIMED);
        assertThat(second.events).isEmpty();
        assertThat(first.commit(10)).as("claimed again").isEqualTo(GroupError.NONE);
        assertThat(second.commit(11)).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(stored()).isEqualTo(10);
    }

    @Test
    void aCommitIsRefusedAsSoonAsTheNextCoordinatorHasReadTheGroup() {
        CompletableFuture<CommitResult> late = first.underWay(5);
        assertThat(second.offsets().positions().get(KEY))
                .extracting(Position::offset)
                .isEqualTo(4L);

        first.settle();

        assertThat(now(late).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(second.offsets().positions().get(KEY))
                .extracting(Position::offset)
                .isEqualTo(4L);
        assertThat(stored()).isEqualTo(4);
    }

    @Test
    void severalCommitsUnderWayAreAllToldAndTheGroupIsLetGoOnce() {
        CompletableFuture<CommitResult> one = first.underWay(5);
        CompletableFuture<CommitResult> two = first.send(6);
        CompletionStage<OffsetsResult> reader = first.coordinator.offsets(GROUP, Stability.AFTER_WRITES_UNDER_WAY);
        assertThat(second.commit(9)).isEqualTo(GroupError.NONE);

        first.settle();

        assertThat(now(one).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(now(two).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(now(reader).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(first.events).containsExactly(ImageEvent.CLAIMED);
    }

    @Test
    void positionsAreNotReadFromTheMemoryOfACoordinatorThatWasPassedOver() {
        assertThat(first.commit(4)).isEqualTo(GroupError.NONE);
        assertThat(second.commit(9)).isEqualTo(GroupError.NONE);

        assertThat(first.offsets().error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(first.offsets().positions().get(KEY))
                .extracting(Position::offset)
                .isEqualTo(9L);
    }

    @Test
    void aCommitOfALostConnectionIsOvertakenByTheNextOne() {
        CompletableFuture<CommitResult> late = first.underWay(5);
        first.store.lose();
        assertThat(now(late).error()).isEqualTo(GroupError.COORDINATOR_NOT_AVAILABLE);
        assertThat(first.commit(6)).isEqualTo(GroupError.NONE);

        first.store.arriveLate(new Random(1));

        assertThat(stored()).isEqualTo(6);
        assertThat(first.events).isEmpty();
    }

    @Test
    void aCommitThatIsOvertakenOnItsWayIsWorthAnotherTry() {
        CompletableFuture<CommitResult> one = first.underWay(5);
        CompletableFuture<CommitResult> two = first.send(6);
        first.store.arriveLast();
        first.settle();
        assertThat(now(two).error()).isEqualTo(GroupError.NONE);
        assertThat(now(one).error()).isEqualTo(GroupError.COORDINATOR_NOT_AVAILABLE);
        assertThat(stored()).isEqualTo(6);
        assertThat(first.offsets().positions().get(KEY))
                .extracting(Position::offset)
                .isEqualTo(6L);
    }

    @Test
    void aCommitUnderWayDoesNotBringADeletedGroupBack() {
        CompletableFuture<CommitResult> late = first.underWay(5);
        CompletionStage<GroupError> deleted = second.coordinator.delete(GROUP);
        second.settle();
        assertThat(now(deleted)).isEqualTo(GroupError.NONE);

        first.settle();

        assertThat(now(late).error()).isEqualTo(GroupError.NOT_COORDINATOR);
        assertThat(commits.groups).isEmpty();
        assertThat(first.commit(6)).isEqualTo(GroupError.NONE);
    }

    @Test
    void aLaterLifeOfTheGroupHereFencesTheFormerOne() {
        CompletableFuture<CommitResult> late = first.underWay(5);
        first.store.lose();
        assertThat(now(late).error()).isEqualTo(GroupError.COORDINATOR_NOT_AVAILABLE);
        CompletionStage<GroupError> deleted = first.coordinator.delete(GROUP);
        first.settle();
        assertThat(now(deleted)).isEqualTo(GroupError.NONE);
        assertThat(first.commit(1)).isEqualTo(GroupError.NONE);

        first.store.arriveLate(new Random(1));

        assertThat(stored()).isEqualTo(1);
    }

    @Test
    void theFirstCommitClaimsTheGroupAndThoseThatComeMeanwhileFollowInTheirOrder() {
        List<CompletableFuture<CommitResult>> replies = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            replies.add(first.send(i));
        }
        first.settle();
        assertThat(replies).allSatisfy(reply -> assertThat(now(reply).error()).isEqualTo(GroupError.NONE));
        assertThat(stored()).isEqualTo(5);
        assertThat(first.commit(6)).isEqualTo(GroupError.NONE);
        assertThat(images.claims).isEqualTo(1);
    }

    @Test
    void withoutTheStoreTheFirstCommitIsToldToTryAgain() {
        images.failWith(StoreException.Kind.UNAVAILABLE);
        assertThat(first.commit(1)).isEqualTo(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
        images.failWith(null);
        assertThat(first.commit(1)).isEqualTo(GroupError.NONE);
    }

    @Test
    void aClaimThatCouldNotBeStoredIsStoredBeforeTheFirstCommit() {
        assertThat(first.commit(1)).isEqualTo(GroupError.NONE);
        images.full = true;
        assertThat(second.offsets().positions().get(KEY))
                .extracting(Position::offset)
                .isEqualTo(1L);
        assertThat(first.commit(2)).isEqualTo(GroupError.NONE);
        assertThat(second.offsets().positions().get(KEY))
                .extracting(Position::offset)
                .isEqualTo(2L);
        assertThat(second.commit(3)).isEqualTo(GroupError.COORDINATOR_NOT_AVAILABLE);
        assertThat(stored()).isEqualTo(2);
        assertThat(first.commit(2)).isEqualTo(GroupError.NOT_COORDINATOR);
        images.full = false;
        assertThat(second.commit(3)).isEqualTo(GroupError.NONE);
        assertThat(stored()).isEqualTo(3);
    }

    @Test
    void withoutTheStorePositionsAreNotReadFromMemory() {
        assertThat(first.commit(4)).isEqualTo(GroupError.NONE);
        CompletionStage<OffsetsResult> reply = first.coordinator.offsets(GROUP, Stability.AS_THEY_ARE);
        first.store.lose();
        assertThat(now(reply).error()).isEqualTo(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(first.offsets().positions()).containsKey(KEY);
    }

    /** What a client that does one thing after another knows of its position. */
    private static final class Client {
        long offset;
        long atLeast = -1;
        boolean mayBeAbsent = true;

        @Nullable
        CompletableFuture<CommitResult> commit;

        @Nullable
        CompletableFuture<GroupError> delete;

        @Nullable
        CompletableFuture<OffsetsResult> read;

        long readAtLeast;

        @Nullable
        Broker broker;

        int done;
        int refused;
        int deletions;
        int reads;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whateverArrivesWhenNoPositionGoesBack(long seed) {
        Random random = new Random(seed);
        Client client = new Client();
        for (int step = 0; step < 20_000; step++) {
            Broker broker = random.nextBoolean() ? first : second;
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3, 4 -> broker.store.arrive();
                case 5 -> broker.store.arriveLate(random);
                case 6 -> {
                    if (random.nextInt(8) == 0) {
                        broker.store.lose();
                    }
                }
                case 7 -> images.full = random.nextInt(10) == 0;
                case 8 -> broker.timers.pass(random.nextInt(2_000));
                default -> act(client, broker, random);
            }
            look(client);
            long position = stored();
            assertThat(position >= client.atLeast || (position < 0 && client.mayBeAbsent))
                    .as("seed %d step %d: %d is stored after %d was acknowledged", seed, step, position, client.atLeast)
                    .isTrue();
        }
        assertThat(client.done).isGreaterThan(500);
        assertThat(client.refused).isGreaterThan(50);
        assertThat(client.deletions).isGreaterThan(20);
        assertThat(client.reads).isGreaterThan(50);
    }

    private void act(Client client, Broker broker, Random random) {
        if (client.commit != null || client.delete != null || client.read != null) {
            // It gives up what has left the coordinator; what waits there would be a late request, not a late write.
            Broker asked = client.broker;
            if (asked != null && random.nextInt(6) == 0 && asked.store.endsWithAChange()) {
                client.commit = null;
                client.delete = null;
            }
            return;
        }
        client.broker = broker;
        int what = random.nextInt(20);
        if (what == 0) {
            client.mayBeAbsent = true;
            client.delete = broker.coordinator.delete(GROUP).toCompletableFuture();
        } else if (what < 4) {
            client.readAtLeast = client.mayBeAbsent ? -1 : client.atLeast;
            client.read =
                    broker.coordinator.offsets(GROUP, Stability.AS_THEY_ARE).toCompletableFuture();
        } else {
            client.offset++;
            client.commit = broker.send(client.offset);
        }
    }

    /** Takes note of answers. */
    private static void look(Client client) {
        if (client.commit != null && client.commit.isDone()) {
            GroupError error = now(client.commit).error();
            if (error == GroupError.NONE) {
                client.atLeast = client.offset;
                client.mayBeAbsent = false;
                client.done++;
            } else {
                client.refused++;
            }
            client.commit = null;
        } else if (client.delete != null && client.delete.isDone()) {
            if (now(client.delete) == GroupError.NONE) {
                client.atLeast = client.offset + 1;
                client.deletions++;
            }
            client.delete = null;
        } else if (client.read != null && client.read.isDone()) {
            OffsetsResult result = now(client.read);
            if (result.error() == GroupError.NONE) {
                Position position = result.positions().get(KEY);
                assertThat(position == null ? -1 : position.offset()).isGreaterThanOrEqualTo(client.readAtLeast);
                client.reads++;
            }
            client.read = null;
        }
    }
}
