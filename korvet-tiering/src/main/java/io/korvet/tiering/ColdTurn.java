package io.korvet.tiering;

import io.korvet.store.StreamName;
import io.korvet.tiering.WorkerObserver.Phase;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Work in the cold tier for one log, in steps that others may come between. One step at a time. */
interface ColdTurn {

    /** What comes after a step. */
    enum After {
        /** Another step. */
        STEP,
        /** Nothing: all that is due was tried. */
        END,
        /** Nothing, since the tier was away for something; that was told already. */
        AWAY
    }

    /** For which log; there is one turn for it at a time. */
    StreamName stream();

    /** The log, {@code null} for one that is deleted. */
    @Nullable
    ManagedLog log();

    /** What the turn is about, or was when it failed. */
    Phase phase();

    /** The offload under way, {@code null} for none. */
    @Nullable
    ActiveOffload active();

    /** Takes a step, and answers what comes next; fails when there is no sense in going on. */
    CompletionStage<After> step(Runnable moved);
}
