package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Something that a group wants done after an event. A group does nothing itself; effects are carried out in their order. */
sealed interface Effect {

    /** Which effect it is. */
    enum Kind {
        /** {@link Answer}. */
        ANSWER,
        /** {@link Promise}. */
        PROMISE,
        /** {@link Save}. */
        SAVE,
        /** {@link WakeAt}. */
        WAKE_AT,
        /** {@link WriteCommits}. */
        WRITE_COMMITS
    }

    /** Which effect it is. */
    Kind kind();

    /** Answer a request. */
    record Answer<T>(CompletableFuture<T> reply, T result) implements Effect {
        @Override
        public Kind kind() {
            return Kind.ANSWER;
        }

        void deliver() {
            reply.complete(result);
        }
    }

    /**
     * Answer a request once the group, as it is after this event, is stored, or storing it has failed. A later coordinator
     * then knows what was promised.
     */
    record Promise<T>(CompletableFuture<T> reply, T result, Function<GroupError, T> refusal) implements Effect {
        @Override
        public Kind kind() {
            return Kind.PROMISE;
        }

        void deliver() {
            reply.complete(result);
        }

        void refuse(GroupError error) {
            reply.complete(refusal.apply(error));
        }
    }

    /** Store the group as it is after this event; comes before the promises of the event. */
    enum Save implements Effect {
        /** The one there is. */
        NOW;

        @Override
        public Kind kind() {
            return Kind.SAVE;
        }
    }

    /** Tell the group at this moment that time has passed; takes the place of a later moment asked for before. */
    record WakeAt(long milliseconds) implements Effect {
        @Override
        public Kind kind() {
            return Kind.WAKE_AT;
        }
    }

    /** Store positions, then answer. */
    record WriteCommits(
            Map<CommittedOffsets.Key, Position> positions,
            Set<CommittedOffsets.Key> oversized,
            CompletableFuture<CommitResult> reply)
            implements Effect {
        @Override
        public Kind kind() {
            return Kind.WRITE_COMMITS;
        }
    }
}
