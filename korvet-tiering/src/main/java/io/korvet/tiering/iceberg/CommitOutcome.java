package io.korvet.tiering.iceberg;

/** What is known of a commit to the table when it is over. */
public enum CommitOutcome {
    /** It is part of the table. */
    COMMITTED,
    /** It is not, and will not be; what it meant to change had been changed by others, or too many were faster. */
    NOT_COMMITTED,
    /** It may be: what it refers to must not be deleted, and the table must be asked before it is tried again. */
    UNKNOWN
}
