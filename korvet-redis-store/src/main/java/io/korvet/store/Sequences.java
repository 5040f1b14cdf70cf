package io.korvet.store;

import java.util.concurrent.CompletionStage;

/** Numbers that are never given twice in a namespace. Thread-safe. */
public interface Sequences {

    /** Takes a block of numbers and answers the first; a block that is not used up is lost, never given again. */
    CompletionStage<Long> take(String name, int count);
}
