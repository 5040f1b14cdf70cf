package io.korvet.coordinator;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads topics out of what members say with their protocols, which is opaque here. */
@FunctionalInterface
public interface SubscriptionReader {

    /** The topics in the metadata of a protocol of the {@code consumer} kind; {@code null} when it can't be read. */
    @Nullable
    Set<String> topics(byte[] metadata);
}
