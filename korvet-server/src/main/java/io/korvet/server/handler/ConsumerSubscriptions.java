package io.korvet.server.handler;

import io.korvet.coordinator.SubscriptionReader;
import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.jspecify.annotations.Nullable;

/** Reads subscriptions in the format of Kafka's consumers. */
public final class ConsumerSubscriptions implements SubscriptionReader {

    @Override
    public @Nullable Set<String> topics(byte[] metadata) {
        try {
            return Set.copyOf(ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(metadata))
                    .topics());
        } catch (RuntimeException unreadable) {
            // Besides SchemaException, sizes that make no sense end in plain ones.
            return null;
        }
    }
}
