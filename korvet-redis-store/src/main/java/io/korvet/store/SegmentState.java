package io.korvet.store;

import java.util.EnumSet;
import java.util.Set;

/** The life of a segment, with the transitions that are legal. */
public enum SegmentState {
    /** Takes appends. */
    OPEN,
    /** Never changes again. */
    SEALED,
    /** Sealed, and confirmed to be in the remote tier. */
    OFFLOADED,
    /** Only in the remote tier. */
    DROPPED;

    /** The states that may follow. */
    public Set<SegmentState> next() {
        return switch (this) {
            case OPEN -> EnumSet.of(SEALED);
            case SEALED -> EnumSet.of(OFFLOADED);
            case OFFLOADED -> EnumSet.of(DROPPED);
            case DROPPED -> EnumSet.noneOf(SegmentState.class);
        };
    }
}
