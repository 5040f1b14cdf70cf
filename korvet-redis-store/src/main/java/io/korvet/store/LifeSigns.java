package io.korvet.store;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Signs by which members learn at once that one of them has died: a text that each rewrites every moment, and a connection
 * whose end the store itself notices. Beside the rows of a {@link HeartbeatTable}, which say who the members are.
 * Thread-safe, nothing blocks.
 */
public interface LifeSigns {

    /**
     * What the store knows of one member.
     *
     * @param text what was written last
     * @param connections how many connections stand for the member at the moment, 0 or 1 as a rule
     */
    record Sign(String text, long connections) {}

    /**
     * All signs, and the number of the set of live members, as they were at one moment.
     *
     * @param signs by member
     * @param row the row of the member that looks in the broker registry, empty for none
     */
    record Look(Map<String, Sign> signs, MembershipEpochs.Epoch epoch, String row) {}

    /** A connection that stands for a member while it is there. Made anew by itself when it is lost. */
    interface Presence extends AutoCloseable {

        /** How often its making began; a change says that the connection of before is lost. */
        long attempts();

        /** Makes it anew; for when it is thought to be there and the store doesn't know of it. */
        void renew();

        /** Ends it. Idempotent. */
        @Override
        void close();
    }

    /** Keeps a connection that stands for a member from now on until it is closed, or the store is. */
    Presence appear(String member);

    /** The signs of all members, and with them their {@link MembershipEpochs#present()} and the row of one. */
    CompletionStage<Look> look(String member);

    /**
     * Writes a member's sign if it is still exactly as expected.
     *
     * @param expected the text as it was known, empty for none
     * @return {@code null} when written, else the text that is there instead (empty for none)
     */
    CompletionStage<@Nullable String> write(String member, String expected, String text);

    /**
     * Replaces the sign of a member thought to be dead, if all is as the observer saw it; in one act, so that a member
     * that shows any life before it is spared.
     *
     * @param seen the sign as it was seen; with 0 connections, there must still be none
     * @param row the member's row in the broker registry as it was seen
     * @param mark what to write instead
     * @return whether it was replaced
     */
    CompletionStage<Boolean> replace(String member, Sign seen, String row, String mark);

    /** Removes a member's sign if it is still exactly as expected. */
    CompletionStage<Boolean> remove(String member, String expected);
}
