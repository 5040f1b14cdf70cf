package io.korvet.server.log;

import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * What came of producing to one partition.
 *
 * @param error {@link Errors#NONE} when the records are in the log
 * @param message for people, {@code null} without an error
 * @param baseOffset the first record's offset, -1 with an error
 * @param appendTime the append time in milliseconds where the topic stamps by it, else -1
 * @param startOffset the start of the log, -1 when not known
 */
public record AppendOutcome(
        Errors error, @Nullable String message, long baseOffset, long appendTime, long startOffset) {

    /** Nothing was appended. */
    static AppendOutcome failed(Errors error, @Nullable String message) {
        return new AppendOutcome(error, message, -1, -1, -1);
    }
}
