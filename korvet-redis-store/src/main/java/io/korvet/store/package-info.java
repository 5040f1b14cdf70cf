/**
 * The ports of the store: streams of entries, segments, topics, commits, heartbeats and leases, with nothing of Kafka in
 * them. Every method that may leave the process answers with a {@link java.util.concurrent.CompletionStage}, which is
 * completed on a thread of the driver that must not be blocked; failures are {@link io.korvet.store.StoreException}s.
 */
@NullMarked
package io.korvet.store;

import org.jspecify.annotations.NullMarked;
