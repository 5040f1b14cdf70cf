package io.korvet.coordinator;

import java.util.Arrays;

/**
 * One way of assigning work that a member supports (an assignor, for consumers).
 *
 * @param name its name, on which the members of a group agree
 * @param metadata what the member tells the leader with it (its subscription), opaque here and not copied
 */
@SuppressWarnings("ArrayRecordComponent")
public record Protocol(String name, byte[] metadata) {

    @Override
    public boolean equals(Object other) {
        return other instanceof Protocol that && name.equals(that.name) && Arrays.equals(metadata, that.metadata);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(metadata);
    }
}
