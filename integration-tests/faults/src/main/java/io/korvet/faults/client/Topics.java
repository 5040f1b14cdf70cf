package io.korvet.faults.client;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/** The topics of a run: one of each encoding of offsets, with segments so small that they are rolled all the time. */
final class Topics {
    private static final int PARTITIONS = 4;
    private static final List<String> ENCODINGS = List.of("time", "dense");

    /** All partitions; an index in it stands for a partition where numbers are easier. */
    static final List<TopicPartition> ALL = ENCODINGS.stream()
            .flatMap(topic -> IntStream.range(0, PARTITIONS).mapToObj(number -> new TopicPartition(topic, number)))
            .toList();

    private Topics() {}

    /** Makes them. */
    static void create(Admin admin) {
        Stream<NewTopic> topics = ENCODINGS.stream()
                .map(encoding -> new NewTopic(encoding, PARTITIONS, (short) 1)
                        .configs(Map.of(
                                "offset.encoding", encoding,
                                "segment.bytes", "262144",
                                "segment.ms", "30000",
                                "max.message.bytes", "65536")));
        try {
            admin.createTopics(topics.toList()).all().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** A partition's index. */
    static int index(String topic, int partition) {
        return ENCODINGS.indexOf(topic) * PARTITIONS + partition;
    }
}
