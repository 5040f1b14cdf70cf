package io.korvet.store;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One hash of members, each with a row of text that its owner rewrites as a sign of life. Without time to live: readers
 * judge staleness by what the row says. Thread-safe.
 */
public interface HeartbeatTable {

    /** All rows, member id to text. */
    CompletionStage<Map<String, String>> rows();

    /**
     * Writes a row if it is still exactly as expected.
     *
     * @param expected the row as it was read, {@code null} for none
     * @return {@code null} when written, else the row that is there instead (empty text for none)
     */
    CompletionStage<@Nullable String> compareAndSet(String member, @Nullable String expected, String row);

    /** Removes a row if it is still exactly as expected. */
    CompletionStage<Boolean> remove(String member, String expected);
}
