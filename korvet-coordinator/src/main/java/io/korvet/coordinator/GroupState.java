package io.korvet.coordinator;

import java.util.EnumSet;
import java.util.Set;

/** The states of a classic group, each with the states it may become. */
public enum GroupState {
    /** No members; positions may be there. */
    EMPTY("Empty") {
        @Override
        public Set<GroupState> successors() {
            return EnumSet.of(PREPARING_REBALANCE, DEAD);
        }
    },
    /** Waiting for members to join the next generation. */
    PREPARING_REBALANCE("PreparingRebalance") {
        @Override
        public Set<GroupState> successors() {
            return EnumSet.of(COMPLETING_REBALANCE, EMPTY, DEAD);
        }
    },
    /** Waiting for the leader's assignment. */
    COMPLETING_REBALANCE("CompletingRebalance") {
        @Override
        public Set<GroupState> successors() {
            return EnumSet.of(STABLE, PREPARING_REBALANCE, DEAD);
        }
    },
    /** Every member has, or can have, its assignment. */
    STABLE("Stable") {
        @Override
        public Set<GroupState> successors() {
            return EnumSet.of(PREPARING_REBALANCE, DEAD);
        }
    },
    /** Deleted, or no longer coordinated here. */
    DEAD("Dead") {
        @Override
        public Set<GroupState> successors() {
            return EnumSet.noneOf(GroupState.class);
        }
    };

    private final String label;

    GroupState(String label) {
        this.label = label;
    }

    /** The states that this one may become. */
    public abstract Set<GroupState> successors();

    /** The state's name as Kafka's tools show it. */
    public String label() {
        return label;
    }
}
