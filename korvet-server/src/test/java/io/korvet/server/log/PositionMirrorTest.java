package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.server.topics.TopicFixture;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import io.korvet.store.TopicCatalog.Topic;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PositionMirrorTest {

    private static final CommittedOffsets.Key KEY = new CommittedOffsets.Key("orders", 0);

    private final TopicFixture fixture = new TopicFixture();
    private final Topic topic = fixture.create("orders", 1);
    private final ManualEntryLog entries = new ManualEntryLog();
    private final List<String> written = new ArrayList<>();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final PartitionLogs logs = new PartitionLogs(
            fixture.topics,
            entries,
            UnpooledByteBufAllocator.DEFAULT,
            fixture.scheduler,
            Limits.DEFAULT,
            LogObserver.NONE);
    private final PositionMirror mirror =
            new PositionMirror(new Recorder(), fixture.topics, logs, timers, Duration.ofHours(1));

    @AfterEach
    void end() {
        mirror.close();
        timers.shutdownNow();
    }

    private final class Recorder implements DeliveryGroups {
        @Override
        public CompletionStage<Void> position(StreamName stream, long segment, String group, StreamEntryId last) {
            return note(group + " in " + segment);
        }

        @Override
        public CompletionStage<Void> remove(StreamName stream, long segment, String group) {
            return note(group + " out of " + segment);
        }

        private CompletionStage<Void> note(String what) {
            written.add(what);
            return CompletableFuture.completedFuture(null);
        }
    }

    private void commit() {
        mirror.committed("g", Map.of(KEY, new Position(5, 0, "", 0, "")));
    }

    /** Lets the mirror write, and the store say that the log has the segments 3 and 4. */
    private void pass() {
        mirror.flush();
        LogState state = new LogState(
                topic.id(),
                0,
                new StreamEntryId(9, 0),
                segment(4, SegmentState.OPEN, null),
                List.of(segment(3, SegmentState.SEALED, new StreamEntryId(9, 0))),
                1,
                1);
        while (!entries.stateCalls.isEmpty()) {
            entries.stateCalls.remove().complete(state);
        }
    }

    private static Segment segment(long number, SegmentState state, @Nullable StreamEntryId last) {
        return new Segment(number, state, last, last, -1, -1, null, 1, 1, 0, null);
    }

    @Test
    void removedPositionTakesItsGroupFromAllSegments() {
        commit();
        pass();
        assertThat(written).containsExactly("g in 3");
        written.clear();

        mirror.removed("g", List.of(KEY));
        assertThat(written).isEmpty();
        pass();

        assertThat(written).containsExactly("g out of 3", "g out of 4");
    }

    @Test
    void whatComesLastForAPlaceIsWritten() {
        commit();
        mirror.removed("g", List.of(KEY));
        pass();
        assertThat(written).containsExactly("g out of 3", "g out of 4");
        written.clear();

        mirror.removed("g", List.of(KEY));
        commit();
        pass();
        assertThat(written).containsExactly("g in 3");
    }

    @Test
    void partitionsThatOthersLeadAreNotOpened() {
        commit();
        pass();
        mirror.removed("g", List.of(KEY));
        pass();

        assertThat(written).containsExactly("g in 3", "g out of 3", "g out of 4");
        assertThat(logs.open()).isEmpty();
    }

    @Test
    void manyPositionsAreWrittenABoundedNumberAtATimeTheOldestFirst() {
        int groups = PositionMirror.MOST_AT_A_TIME + 1;
        for (int group = 0; group < groups; group++) {
            mirror.committed("g" + group, Map.of(KEY, new Position(5, 0, "", 0, "")));
        }
        mirror.committed("g0", Map.of(KEY, new Position(6, 0, "", 0, "")));

        pass();
        assertThat(written).hasSize(groups - 1).contains("g0 in 3");
        pass();
        assertThat(written).hasSize(groups).last().isEqualTo("g" + (groups - 1) + " in 3");
    }

    @Test
    void topicsThatAreGoneAndFailuresOfTheStoreAreLeftAlone() {
        mirror.removed("g", List.of(new CommittedOffsets.Key("gone", 0), new CommittedOffsets.Key("orders", 7), KEY));
        mirror.flush();
        entries.stateCalls.remove().completeExceptionally(new IllegalStateException("made to fail"));

        assertThat(written).isEmpty();
    }
}
