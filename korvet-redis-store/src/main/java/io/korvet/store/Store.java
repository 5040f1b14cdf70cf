package io.korvet.store;

import java.util.concurrent.CompletionStage;

/** All ports of one store under one namespace, and its life. */
public interface Store extends AutoCloseable {

    /** Logs of entries. */
    EntryLog entries();

    /** Segments, for the storage worker. */
    SegmentCatalog segments();

    /** Topics. */
    TopicCatalog topics();

    /** Committed positions. */
    CommittedOffsets commits();

    /** Groups with their members. */
    GroupImages groupImages();

    /** The mirror of groups in Redis. */
    DeliveryGroups deliveryGroups();

    /** The broker registry's rows. */
    HeartbeatTable brokers();

    /** The brokers' signs of life. */
    LifeSigns lifeSigns();

    /** The number that stands for the set of live brokers. */
    MembershipEpochs membershipEpochs();

    /** Facts about the whole namespace, such as its id, each a row that whoever comes first writes. */
    HeartbeatTable facts();

    /**
     * Logs that were deleted while they had, or may have had, segments in the remote tier: stream name to incarnations,
     * separated by a space each. A row is written before its log goes, and stays until the remote tier has forgotten it.
     */
    HeartbeatTable removals();

    /** Leases. */
    LeaseStore leases();

    /** Numbers that are never given twice. */
    Sequences sequences();

    /**
     * Completes when what holds everything but logs answers, and with it logs that have no place of their own; fails with a
     * {@link StoreException} when it doesn't.
     */
    CompletionStage<Void> ping();

    /** The same of the place of logs. */
    default CompletionStage<Void> pingLogs() {
        return ping();
    }

    /** How full the store is; fails with a {@link StoreException} when it doesn't say. */
    CompletionStage<MemoryUse> memory();

    /** Ends all connections; calls under way fail. Idempotent. */
    @Override
    void close();
}
