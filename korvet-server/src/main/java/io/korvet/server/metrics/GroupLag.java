package io.korvet.server.metrics;

/**
 * How far a group is behind on a partition.
 *
 * @param group the group
 * @param topic the topic
 * @param partition the partition
 * @param records records between the committed offset and the end: records, not a difference of offsets
 */
public record GroupLag(String group, String topic, int partition, long records) {}
