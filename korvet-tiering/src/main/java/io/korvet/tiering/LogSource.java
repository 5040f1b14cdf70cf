package io.korvet.tiering;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Tells the storage worker, anew for each walk, which logs there are. */
@FunctionalInterface
public interface LogSource {

    /** All logs. */
    CompletionStage<List<ManagedLog>> logs();
}
