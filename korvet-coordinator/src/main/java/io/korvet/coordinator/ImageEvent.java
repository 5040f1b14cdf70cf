package io.korvet.coordinator;

/** What happened to the stored members of a group. */
public enum ImageEvent {
    /** Members of another coordinator, or of an earlier life of this one, go on here. */
    RESTORED,
    /** The group is stored as it is. */
    SAVED,
    /** The group could not be stored; it goes on, and storing it is tried again. */
    UNSAVED,
    /** The group is too large to be stored: after a loss of its coordinator its members will have to join again. */
    OVERSIZED,
    /** Another coordinator has claimed the group: it ends here. */
    CLAIMED
}
