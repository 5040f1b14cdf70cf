package io.korvet.tiering;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.store.StreamName;

/**
 * A log in the storage worker's care.
 *
 * @param stream its name
 * @param incarnation whose log it is; the worker leaves a later one alone
 * @param encoding how its ids and offsets belong together
 * @param policy what is to become of its segments
 */
public record ManagedLog(StreamName stream, String incarnation, OffsetEncoding encoding, TierPolicy policy) {}
