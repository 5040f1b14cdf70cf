package io.korvet.coordinator;

/** What a group's answer can say. The names are those of Kafka's error codes, so that they translate by name. */
public enum GroupError {
    /** Done as asked. */
    NONE,
    /** The group id is empty or missing. */
    INVALID_GROUP_ID,
    /** Another broker coordinates the group. */
    NOT_COORDINATOR,
    /** Not now: the store failed, or too much is waiting for the group; worth another try. */
    COORDINATOR_NOT_AVAILABLE,
    /** The group's positions could not be read yet; worth another try. */
    COORDINATOR_LOAD_IN_PROGRESS,
    /** Join again with the member id in the answer. */
    MEMBER_ID_REQUIRED,
    /** The group knows no such member. */
    UNKNOWN_MEMBER_ID,
    /** Another member has taken over the instance id. */
    FENCED_INSTANCE_ID,
    /** Not the generation the group is in. */
    ILLEGAL_GENERATION,
    /** A new generation is being formed: join again. */
    REBALANCE_IN_PROGRESS,
    /** No protocol is supported by all members, or its type or name differs. */
    INCONSISTENT_GROUP_PROTOCOL,
    /** The session timeout is outside the allowed range. */
    INVALID_SESSION_TIMEOUT,
    /** The group is full. */
    GROUP_MAX_SIZE_REACHED,
    /** The group has members. */
    NON_EMPTY_GROUP,
    /** There is no such group. */
    GROUP_ID_NOT_FOUND,
    /** The group is subscribed to the topic. */
    GROUP_SUBSCRIBED_TO_TOPIC
}
