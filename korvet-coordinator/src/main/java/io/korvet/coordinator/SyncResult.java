package io.korvet.coordinator;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link SyncRequest}.
 *
 * @param error why not
 * @param protocolType the group's kind, {@code null} with an error
 * @param protocolName the chosen protocol, {@code null} with an error
 * @param assignment what the leader assigned; no bytes when it assigned nothing, or with an error
 */
@SuppressWarnings("ArrayRecordComponent")
public record SyncResult(
        GroupError error,
        @Nullable String protocolType,
        @Nullable String protocolName,
        byte[] assignment) {

    static SyncResult refused(GroupError error) {
        return new SyncResult(error, null, null, Member.NOTHING);
    }
}
