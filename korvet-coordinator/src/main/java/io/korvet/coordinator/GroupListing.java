package io.korvet.coordinator;

/**
 * A group in a list.
 *
 * @param group its id
 * @param protocolType its kind, empty when it has never had members here
 * @param state its state
 */
public record GroupListing(String group, String protocolType, GroupState state) {}
