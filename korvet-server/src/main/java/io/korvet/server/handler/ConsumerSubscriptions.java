package io.korvet.server.handler;

import io.korvet.coordinator.SubscriptionReader;
import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.protocol.types.SchemaException;
import org.jspecify.annotations.Nullable;

/** Reads subscriptions in the format of Kafka's consumers. */
public final class ConsumerSubscriptions implements SubscriptionReader {

    @Override
    public @Nullable Set<String> topics(byte[] metadata) {
        try {
            return Set.copyOf(ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(metadata))
                    .topics());
        } catch (SchemaException e) {
            return null;
        }
    }
}
