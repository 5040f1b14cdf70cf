package io.korvet.tiering;

/** What is known of an offload when it is over. */
public enum OffloadOutcome {
    /** The segment is in the cold tier, now or by an earlier attempt; it may be marked and, in time, dropped locally. */
    COMMITTED,
    /** The segment is not there, and nothing of the attempt is left; it may be tried again. */
    NOT_COMMITTED,
    /** It may be there or not: it must be asked for before it is tried again, and no file of it may be deleted. */
    UNKNOWN
}
