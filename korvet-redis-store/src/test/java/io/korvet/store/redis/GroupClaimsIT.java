package io.korvet.store.redis;

import static io.korvet.store.Stages.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Fence;
import io.korvet.store.CommittedOffsets.Outcome;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.GroupImages;
import io.korvet.store.Stages;
import io.korvet.store.StoreException.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** How long claims of groups are kept, and what they are worth when they could not be stored or are gone. */
@ParameterizedClass
@MethodSource("io.korvet.store.redis.RedisServerBinary#all")
class GroupClaimsIT {

    private static final String GROUP = "korvet:broker:group:{g}";
    private static final Map<CommittedOffsets.Key, Position> POSITION =
            Map.of(new CommittedOffsets.Key("orders", 0), new Position(7, -1, "", 5, "id"));

    @Parameter
    RedisServerBinary binary = RedisServerBinary.preferred();

    private RedisServerProcess server;
    private RedisStore store;

    @BeforeEach
    @SuppressWarnings("NullAway.Init")
    void start() {
        server = RedisServerProcess.start(binary);
        store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())));
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
    }

    @Test
    void atTheMemoryLimitNoPositionIsCommittedAndAClaimIsStoredLater() {
        CommittedOffsets commits = store.commits();
        long before = Stages.await(store.groupImages().claim("g")).epoch();
        assertThat(Stages.await(commits.commit("g", new Fence(before, 1), POSITION)))
                .isEqualTo(Outcome.DONE);
        server.command("CONFIG", "SET", "maxmemory", "1");
        GroupImages.Claim claim = Stages.await(store.groupImages().claim("g"));
        assertThat(claim.isStored()).isFalse();
        Fence first = new Fence(claim.epoch(), 1);
        assertThat(failure(commits.commit("g", new Fence(before, 2), POSITION)).kind())
                .isEqualTo(Kind.OUT_OF_MEMORY);
        assertThat(failure(commits.commit("g", first, Map.of())).kind()).isEqualTo(Kind.OUT_OF_MEMORY);
        assertThat(failure(commits.commit("g", first, POSITION)).kind()).isEqualTo(Kind.OUT_OF_MEMORY);
        assertThat(failure(commits.removeAll("g", first)).kind()).isEqualTo(Kind.OUT_OF_MEMORY);
        assertThat(Stages.await(commits.positions("g"))).isEqualTo(POSITION);
        assertThat(Stages.await(commits.remove("g", new Fence(before, 3), POSITION.keySet())))
                .as("removing needs no memory")
                .isEqualTo(Outcome.DONE);
        server.command("CONFIG", "SET", "maxmemory", "0");
        assertThat(Stages.await(commits.commit("g", new Fence(before, 4), POSITION)))
                .as("not passed over yet")
                .isEqualTo(Outcome.DONE);
        assertThat(Stages.await(commits.commit("g", first, Map.of()))).isEqualTo(Outcome.DONE_AND_CLAIMED);
        assertThat(Stages.await(commits.commit("g", new Fence(before, 5), POSITION)))
                .isEqualTo(Outcome.CLAIMED_ELSEWHERE);
        assertThat(Stages.await(commits.commit("g", new Fence(claim.epoch(), 2), POSITION)))
                .isEqualTo(Outcome.DONE);
    }

    @Test
    void aClaimAloneIsKeptForAnHourAndWithItsGroupForAsLong() {
        CommittedOffsets commits = store.commits();
        GroupImages images = store.groupImages();
        GroupImages.Image image =
                new GroupImages.Image(GroupImages.State.EMPTY, 3, "consumer", null, null, 1, List.of());
        long epoch = Stages.await(images.claim("g")).epoch();
        assertThat(secondsLeft()).isBetween(3_600L, 3_660L);
        Stages.await(commits.commit("g", new Fence(epoch, 1), POSITION));
        assertThat(secondsLeft()).isEqualTo(-1);
        Stages.await(commits.remove("g", new Fence(epoch, 2), POSITION.keySet()));
        assertThat(secondsLeft()).isBetween(3_600L, 3_660L);
        Stages.await(images.save("g", epoch, image));
        assertThat(secondsLeft()).isEqualTo(-1);
        long next = Stages.await(images.claim("g")).epoch();
        Stages.await(commits.commit("g", new Fence(next, 1), POSITION));
        Stages.await(images.delete("g", next));
        assertThat(secondsLeft()).as("with its positions").isEqualTo(-1);
        Stages.await(commits.removeAll("g", new Fence(next, 2)));
        assertThat(secondsLeft()).isBetween(3_600L, 3_660L);
    }

    @Test
    void aClaimThatIsGoneCountsWhileItIsYoungerThanAnHour() {
        CommittedOffsets commits = store.commits();
        long epoch = Stages.await(store.groupImages().claim("g")).epoch();
        server.command("DEL", GROUP);
        long hour = 3_601_000_000L;
        assertThat(Stages.await(commits.commit("g", new Fence(epoch - hour, 1), POSITION)))
                .as("whoever came later may have been forgotten, too")
                .isEqualTo(Outcome.CLAIMED_ELSEWHERE);
        assertThat(Stages.await(store.groupImages().delete("g", epoch - hour))).isFalse();
        assertThat(Stages.await(commits.groups())).isEmpty();
        assertThat(Stages.await(commits.commit("g", new Fence(epoch, 1), POSITION)))
                .as("Redis has lost it")
                .isEqualTo(Outcome.DONE_AND_CLAIMED);
        assertThat(secondsLeft()).isEqualTo(-1);
    }

    @Test
    void manyPositionsAreCommittedInOneAct() {
        Map<CommittedOffsets.Key, Position> positions = new HashMap<>();
        for (int i = 0; i < 12_345; i++) {
            positions.put(new CommittedOffsets.Key("orders", i), new Position(i, -1, "", 5, "id"));
        }
        long epoch = Stages.await(store.groupImages().claim("g")).epoch();
        Stages.await(store.commits().commit("g", new Fence(epoch, 1), positions));
        assertThat(Stages.await(store.commits().positions("g"))).isEqualTo(positions);
        Stages.await(store.commits().remove("g", new Fence(epoch, 2), positions.keySet()));
        assertThat(Stages.await(store.commits().positions("g"))).isEmpty();
    }

    private long secondsLeft() {
        return Long.parseLong(server.words("TTL", GROUP).get(0));
    }
}
