package io.korvet.server.metrics;

/**
 * The ends of a partition, for its gauges.
 *
 * @param topic the topic
 * @param partition the partition
 * @param logStart the first offset still there
 * @param max the last offset given, -1 for an empty partition
 */
public record PartitionOffsets(String topic, int partition, long logStart, long max) {}
