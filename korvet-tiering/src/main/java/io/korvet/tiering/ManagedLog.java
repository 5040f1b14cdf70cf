package io.korvet.tiering;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.store.LogState;
import io.korvet.store.StreamName;
import org.jspecify.annotations.Nullable;

/**
 * A log in the storage worker's care.
 *
 * @param stream its name
 * @param incarnation whose log it is; the worker leaves a later one alone
 * @param encoding how its ids and offsets belong together
 * @param policy what is to become of its segments
 */
public record ManagedLog(StreamName stream, String incarnation, OffsetEncoding encoding, TierPolicy policy) {

    /** Whether a state is that of this log, and not of an earlier or later one of the same name. */
    boolean isIn(@Nullable LogState state) {
        return state != null && state.incarnation().equals(incarnation);
    }

    /** The same log without cold tier. */
    ManagedLog withoutTiering() {
        return new ManagedLog(stream, incarnation, encoding, policy.withoutTiering());
    }
}
