package io.korvet.store;

import static io.korvet.store.Stages.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.CommittedOffsets.Fence;
import io.korvet.store.CommittedOffsets.Outcome;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.GroupImages.Claim;
import io.korvet.store.GroupImages.Image;
import io.korvet.store.GroupImages.Member;
import io.korvet.store.GroupImages.Protocol;
import io.korvet.store.GroupImages.State;
import io.korvet.store.LifeSigns.Sign;
import io.korvet.store.MembershipEpochs.Epoch;
import io.korvet.store.TopicCatalog.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every store's topics, commits, rows, leases and numbers do. */
public abstract class CatalogsContract {

    private static final Topic ORDERS = new Topic("orders", "id-1", 3, Map.of("retention.ms", "5", "a", "\"b\""), 77);

    /** The store under test, empty for each test. */
    protected abstract Store store();

    @Test
    void topicsAreAddedOnceAndRaiseTheVersion() {
        TopicCatalog topics = store().topics();
        long before = await(topics.version());
        assertThat(await(topics.add(ORDERS))).isTrue();
        assertThat(await(topics.add(ORDERS))).isFalse();
        assertThat(await(topics.version())).isEqualTo(before + 1);
        assertThat(await(topics.snapshot())).isEqualTo(new TopicCatalog.Snapshot(before + 1, List.of(ORDERS)));
    }

    @Test
    void aTopicIsReplacedOnlyIfItIsAsExpected() {
        TopicCatalog topics = store().topics();
        Topic larger = new Topic("orders", "id-1", 6, Map.of(), 77);
        assertThat(await(topics.replace(ORDERS, larger))).isFalse();
        await(topics.add(ORDERS));
        assertThat(await(topics.replace(larger, ORDERS))).isFalse();
        assertThat(await(topics.replace(ORDERS, larger))).isTrue();
        assertThat(await(topics.snapshot()).topics()).containsExactly(larger);
    }

    @Test
    void aRemovedTopicIsRememberedUntilItsLogsAreGone() {
        TopicCatalog topics = store().topics();
        await(topics.add(ORDERS));
        assertThat(await(topics.remove("orders", "id-2"))).isNull();
        assertThat(await(topics.remove("orders", "id-1"))).isEqualTo(ORDERS);
        assertThat(await(topics.remove("orders", "id-1"))).isNull();
        assertThat(await(topics.snapshot()).topics()).isEmpty();
        assertThat(await(topics.removed())).containsExactly(ORDERS);
        await(topics.forget(ORDERS));
        assertThat(await(topics.removed())).isEmpty();
    }

    @Test
    void positionsSurviveAndGroupsAreListed() {
        CommittedOffsets commits = store().commits();
        CommittedOffsets.Key first = new CommittedOffsets.Key("orders", 0);
        CommittedOffsets.Key second = new CommittedOffsets.Key("orders", 1);
        Position position = new Position(Long.MAX_VALUE - 1, -1, "mine \"é\"", 5, "id-1");
        long epoch = await(store().groupImages().claim("g")).epoch();
        assertThat(await(commits.groups())).isEmpty();
        Position other = new Position(1, 2, "", 3, "");
        assertThat(await(commits.commit("g", new Fence(epoch, 1), Map.of(first, position, second, other))))
                .isEqualTo(Outcome.DONE);
        await(commits.commit("g", new Fence(epoch, 2), Map.of(second, position)));
        assertThat(await(commits.positions("g"))).isEqualTo(Map.of(first, position, second, position));
        assertThat(await(commits.positions("h"))).isEmpty();
        assertThat(await(commits.groups())).containsExactly("g");
        await(commits.remove("g", new Fence(epoch, 3), List.of(first)));
        assertThat(await(commits.groups())).containsExactly("g");
        await(commits.remove("g", new Fence(epoch, 4), List.of(second)));
        assertThat(await(commits.groups())).isEmpty();
        await(commits.commit("g", new Fence(epoch, 5), Map.of(first, position, second, position)));
        assertThat(await(commits.removeAll("g", new Fence(epoch, 6)))).isEqualTo(Outcome.DONE);
        assertThat(await(commits.positions("g"))).isEmpty();
        assertThat(await(commits.groups())).isEmpty();
        assertThat(await(store().groupImages().groups())).isEmpty();
    }

    @Test
    void positionsAreChangedOnlyByWhoClaimedTheGroupLast() {
        CommittedOffsets commits = store().commits();
        GroupImages images = store().groupImages();
        CommittedOffsets.Key key = new CommittedOffsets.Key("orders", 0);
        Map<CommittedOffsets.Key, Position> older = Map.of(key, new Position(1, -1, "", 5, ""));
        Map<CommittedOffsets.Key, Position> newer = Map.of(key, new Position(2, -1, "", 6, ""));
        long first = await(images.claim("g")).epoch();
        long second = await(images.claim("g")).epoch();
        assertThat(await(commits.commit("g", new Fence(first, 1), older))).isEqualTo(Outcome.CLAIMED_ELSEWHERE);
        assertThat(await(commits.groups())).as("nothing was written").isEmpty();
        assertThat(await(commits.commit("g", new Fence(second, 1), newer))).isEqualTo(Outcome.DONE);
        assertThat(await(commits.commit("g", new Fence(first, 2), older))).isEqualTo(Outcome.CLAIMED_ELSEWHERE);
        assertThat(await(commits.remove("g", new Fence(first, 3), List.of(key))))
                .isEqualTo(Outcome.CLAIMED_ELSEWHERE);
        assertThat(await(commits.removeAll("g", new Fence(first, 4)))).isEqualTo(Outcome.CLAIMED_ELSEWHERE);
        assertThat(await(commits.positions("g"))).isEqualTo(newer);
        assertThat(await(commits.groups())).containsExactly("g");
        assertThat(await(images.claim("g")).image())
                .as("nothing is told of members")
                .isNull();
    }

    @Test
    void aChangeThatWasOvertakenDoesNothing() {
        CommittedOffsets commits = store().commits();
        CommittedOffsets.Key key = new CommittedOffsets.Key("orders", 0);
        Map<CommittedOffsets.Key, Position> older = Map.of(key, new Position(1, -1, "", 5, ""));
        Map<CommittedOffsets.Key, Position> newer = Map.of(key, new Position(2, -1, "", 6, ""));
        long epoch = await(store().groupImages().claim("g")).epoch();
        assertThat(await(commits.commit("g", new Fence(epoch, 9), newer))).isEqualTo(Outcome.DONE);
        assertThat(await(commits.commit("g", new Fence(epoch, 8), older))).isEqualTo(Outcome.OVERTAKEN);
        assertThat(await(commits.remove("g", new Fence(epoch, 8), List.of(key))))
                .isEqualTo(Outcome.OVERTAKEN);
        assertThat(await(commits.removeAll("g", new Fence(epoch, 8)))).isEqualTo(Outcome.OVERTAKEN);
        assertThat(await(commits.positions("g"))).isEqualTo(newer);
        assertThat(await(commits.remove("g", new Fence(epoch, 11), List.of(key))))
                .isEqualTo(Outcome.DONE);
        assertThat(await(commits.commit("g", new Fence(epoch, 10), newer))).isEqualTo(Outcome.OVERTAKEN);
        assertThat(await(commits.groups())).isEmpty();
        long next = await(store().groupImages().claim("g")).epoch();
        assertThat(await(commits.commit("g", new Fence(next, 1), older))).isEqualTo(Outcome.DONE);
        assertThat(await(commits.positions("g"))).isEqualTo(older);
    }

    @Test
    void aClaimOutlivesItsGroup() {
        CommittedOffsets commits = store().commits();
        GroupImages images = store().groupImages();
        Map<CommittedOffsets.Key, Position> late =
                Map.of(new CommittedOffsets.Key("orders", 0), new Position(1, -1, "", 5, ""));
        Image image = new Image(State.EMPTY, 2, "consumer", null, null, 2, List.of());
        long first = await(images.claim("g")).epoch();
        await(images.save("g", first, image));
        long second = await(images.claim("g")).epoch();
        await(commits.commit("g", new Fence(second, 1), late));
        await(commits.removeAll("g", new Fence(second, 2)));
        assertThat(await(images.delete("g", second))).isTrue();
        assertThat(await(commits.commit("g", new Fence(first, 1), late))).isEqualTo(Outcome.CLAIMED_ELSEWHERE);
        assertThat(await(images.save("g", first, image))).isFalse();
        assertThat(await(images.delete("g", first))).isFalse();
        assertThat(await(commits.positions("g"))).isEmpty();
        assertThat(await(images.claim("g")).image()).isNull();
    }

    @Test
    void aGroupsMembersSurviveAndAreListed() {
        GroupImages images = store().groupImages();
        Member dynamic = member("m-1", null, new byte[] {0, (byte) 0xff}, new byte[0]);
        Member fixed = member("a-2", "rack \"é\"", new byte[0], new byte[] {1, 2, 3});
        Image image = new Image(State.STABLE, 7, "consumer", "range", "m-1", 123, List.of(dynamic, fixed));
        Claim none = await(images.claim("g"));
        assertThat(none.image()).isNull();
        assertThat(await(images.groups())).isEmpty();
        assertThat(await(images.epoch("g"))).isEqualTo(none.epoch());
        assertThat(await(images.epoch("h"))).isZero();

        assertThat(await(images.save("g", none.epoch(), image))).isTrue();

        assertThat(await(images.epoch("g"))).isEqualTo(none.epoch());
        assertThat(await(images.groups())).containsExactly("g");
        Claim claim = await(images.claim("g"));
        assertThat(claim.epoch()).isGreaterThan(none.epoch());
        assertThat(claim.image()).usingRecursiveComparison().isEqualTo(image);
        Image empty = image.withoutMembers();
        assertThat(await(images.save("g", claim.epoch(), empty))).isTrue();
        assertThat(await(images.claim("g")).image()).isEqualTo(empty);
        assertThat(await(images.claim("h")).image()).isNull();
    }

    @Test
    void aGroupIsWrittenOnlyByWhoClaimedItLast() {
        GroupImages images = store().groupImages();
        Image image = new Image(State.REBALANCING, 1, "consumer", null, null, 1, List.of());
        Image newer = new Image(State.EMPTY, 2, "consumer", null, null, 2, List.of());
        long first = await(images.claim("g")).epoch();
        assertThat(await(images.save("g", first, image))).isTrue();
        long second = await(images.claim("g")).epoch();
        assertThat(await(images.save("g", first, newer))).isFalse();
        assertThat(await(images.delete("g", first))).isFalse();
        assertThat(await(images.groups())).containsExactly("g");
        assertThat(await(images.save("g", second, newer))).isTrue();
        assertThat(await(images.save("g", second, newer))).isTrue();
        assertThat(await(images.claim("g")).image()).isEqualTo(newer);
        assertThat(await(images.delete("g", second))).isFalse();
        long last = await(images.claim("g")).epoch();
        assertThat(await(images.delete("g", last))).isTrue();
        assertThat(await(images.groups())).isEmpty();
        assertThat(await(images.claim("g")).image()).isNull();
        assertThat(await(images.epoch("g"))).isGreaterThan(last);
    }

    private static Member member(String id, @Nullable String instanceId, byte[] metadata, byte[] assignment) {
        List<Protocol> protocols = List.of(new Protocol("range", metadata), new Protocol("sticky", new byte[0]));
        return new Member(id, instanceId, "client", "/127.0.0.1", 10_000, 60_000, protocols, assignment);
    }

    @Test
    void aRowIsWrittenOnlyOverWhatWasExpected() {
        HeartbeatTable brokers = store().brokers();
        assertThat(await(brokers.compareAndSet("1", "x", "a"))).isEmpty();
        assertThat(await(brokers.compareAndSet("1", null, "a"))).isNull();
        assertThat(await(brokers.compareAndSet("1", null, "b"))).isEqualTo("a");
        assertThat(await(brokers.compareAndSet("1", "a", "b"))).isNull();
        assertThat(await(brokers.rows())).isEqualTo(Map.of("1", "b"));
        assertThat(await(brokers.remove("1", "a"))).isFalse();
        assertThat(await(brokers.remove("1", "b"))).isTrue();
        assertThat(await(brokers.rows())).isEmpty();
    }

    @Test
    void aSignTellsWhetherItsMembersConnectionIsThere() {
        LifeSigns signs = store().lifeSigns();
        assertThat(await(signs.look("1")).signs()).isEmpty();
        assertThat(await(signs.write("1", "", "a"))).isNull();
        assertThat(await(signs.write("1", "", "b"))).isEqualTo("a");
        assertThat(await(signs.write("2", "x", "b"))).isEmpty();
        assertThat(await(signs.look("1")).signs()).isEqualTo(Map.of("1", new Sign("a", 0)));
        LifeSigns.Presence presence = signs.appear("1");
        Awaitility.await().until(() -> await(signs.look("1")).signs().equals(Map.of("1", new Sign("a", 1))));
        long attempts = presence.attempts();
        presence.renew();
        Awaitility.await().until(() -> presence.attempts() > attempts);
        Awaitility.await().until(() -> await(signs.look("1")).signs().equals(Map.of("1", new Sign("a", 1))));
        presence.close();
        presence.close();
        Awaitility.await().until(() -> await(signs.look("1")).signs().equals(Map.of("1", new Sign("a", 0))));
        assertThat(await(signs.remove("1", "b"))).isFalse();
        assertThat(await(signs.remove("1", "a"))).isTrue();
        assertThat(await(signs.look("1")).signs()).isEmpty();
    }

    @Test
    void aSignIsReplacedOnlyWhileItsMemberShowsNoLife() {
        LifeSigns signs = store().lifeSigns();
        await(store().brokers().compareAndSet("1", null, "row"));
        assertThat(await(signs.look("1")).row()).isEqualTo("row");
        assertThat(await(signs.look("2")).row()).isEmpty();
        await(signs.write("1", "", "a"));
        assertThat(await(signs.replace("1", new Sign("older", 0), "row", "dead")))
                .isFalse();
        assertThat(await(signs.replace("1", new Sign("a", 0), "other", "dead"))).isFalse();
        assertThat(await(signs.replace("2", new Sign("a", 0), "row", "dead"))).isFalse();
        try (LifeSigns.Presence presence = signs.appear("1")) {
            Awaitility.await().until(() -> await(signs.look("1")).signs().equals(Map.of("1", new Sign("a", 1))));
            assertThat(await(signs.replace("1", new Sign("a", 0), "row", "dead")))
                    .isFalse();
            assertThat(await(signs.replace("1", new Sign("a", 1), "row", "silent")))
                    .isTrue();
            assertThat(presence.attempts()).isPositive();
        }
        Awaitility.await().until(() -> await(signs.look("1")).signs().equals(Map.of("1", new Sign("silent", 0))));
        assertThat(await(signs.replace("1", new Sign("silent", 0), "row", "dead")))
                .isTrue();
        assertThat(await(signs.look("1")).signs()).isEqualTo(Map.of("1", new Sign("dead", 0)));
    }

    @Test
    void aSetOfMembersHasANumberOfTheClockAndAnotherSetAHigherOne() {
        MembershipEpochs epochs = store().membershipEpochs();
        assertThat(await(epochs.present())).isEqualTo(Epoch.NONE);
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        long before = Duration.between(start, Instant.now()).toSeconds();
        Epoch first = await(epochs.agree("1", 1, 0));
        assertThat(first.members()).isEqualTo("1");
        assertThat((long) first.number())
                .isBetween(before, Duration.between(start, Instant.now()).toSeconds());
        assertThat(await(epochs.agree("1", 1, 0))).isEqualTo(first);
        Epoch second = await(epochs.agree("1,2", 1, first.number()));
        assertThat(second.number()).isGreaterThan(first.number());
        assertThat(await(epochs.present())).isEqualTo(second);
        assertThat(await(store().lifeSigns().look("1")).epoch()).isEqualTo(second);
    }

    @Test
    void theNumberOfASetIsDecidedByWhatIsStored() {
        MembershipEpochs epochs = store().membershipEpochs();
        int stored = 2_000_000_000;
        assertThat(await(epochs.agree("1,2", stored, MembershipEpochs.ANY))).isEqualTo(new Epoch(stored, "1,2"));
        // The same set keeps its number, whatever the asker saw, if that is enough for it.
        assertThat(await(epochs.agree("1,2", 0, 5))).isEqualTo(new Epoch(stored, "1,2"));
        assertThat(await(epochs.agree("1,2", stored, stored))).isEqualTo(new Epoch(stored, "1,2"));
        // An asker that was told more gets more.
        assertThat(await(epochs.agree("1,2", stored + 7, stored))).isEqualTo(new Epoch(stored + 7, "1,2"));
        // Another set gets the next number, but not from an asker that looked before the stored one was given.
        assertThat(await(epochs.agree("1", 3, stored))).isEqualTo(new Epoch(stored + 7, "1,2"));
        assertThat(await(epochs.agree("1", 3, stored + 7))).isEqualTo(new Epoch(stored + 8, "1"));
        assertThat(await(epochs.agree("2", 3, MembershipEpochs.ANY))).isEqualTo(new Epoch(stored + 9, "2"));
        assertThat(await(epochs.agree("1", stored + 20, stored + 9))).isEqualTo(new Epoch(stored + 20, "1"));
        // There is a last number.
        int last = MembershipEpochs.LAST;
        assertThat(await(epochs.agree("3", last, MembershipEpochs.ANY))).isEqualTo(new Epoch(last, "3"));
        assertThat(await(epochs.agree("4", last, last))).isEqualTo(new Epoch(last, "4"));
        assertThat(await(epochs.present())).isEqualTo(new Epoch(last, "4"));
    }

    @Test
    void tablesOfRowsDoNotKnowEachOther() {
        await(store().removals().compareAndSet("orders:0", null, "id-1"));
        await(store().facts().compareAndSet("orders:0", null, "id-2"));
        assertThat(await(store().removals().rows())).isEqualTo(Map.of("orders:0", "id-1"));
        assertThat(await(store().brokers().rows())).isEmpty();
    }

    @Test
    void aLeaseHasOneHolder() {
        LeaseStore leases = store().leases();
        assertThat(await(leases.acquire("w", "a", Duration.ofMinutes(1)))).isTrue();
        assertThat(await(leases.acquire("w", "b", Duration.ofMinutes(1)))).isFalse();
        assertThat(await(leases.acquire("w", "a", Duration.ofMinutes(1)))).isTrue();
        assertThat(await(leases.release("w", "b"))).isFalse();
        assertThat(await(leases.release("w", "a"))).isTrue();
        assertThat(await(leases.release("w", "a"))).isFalse();
        assertThat(await(leases.acquire("w", "b", Duration.ofMinutes(1)))).isTrue();
    }

    @Test
    void numbersAreNeverGivenTwice() {
        Sequences sequences = store().sequences();
        assertThat(await(sequences.take("p", 10))).isZero();
        assertThat(await(sequences.take("p", 1))).isEqualTo(10);
        assertThat(await(sequences.take("q", 5))).isZero();
        assertThat(await(sequences.take("p", 1))).isEqualTo(11);
    }

    @Test
    void mirroringAGroupOnASegmentThatIsNotThereIsNoFailure() {
        StreamName stream = new StreamName("orders:0");
        await(store().deliveryGroups().position(stream, 4, "g", StreamEntryId.MINIMUM));
        await(store().deliveryGroups().remove(stream, 4, "g"));
        await(store().ping());
    }
}
