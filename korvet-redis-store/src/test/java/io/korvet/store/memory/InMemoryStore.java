package io.korvet.store.memory;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.GroupImages;
import io.korvet.store.HeartbeatTable;
import io.korvet.store.LeaseStore;
import io.korvet.store.LifeSigns;
import io.korvet.store.MembershipEpochs;
import io.korvet.store.MemoryUse;
import io.korvet.store.Sequences;
import io.korvet.store.Store;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** All ports in memory. Answers are complete when a call returns; thread-safe by one lock. */
public final class InMemoryStore implements Store {

    private final InMemoryEntryLog entries = new InMemoryEntryLog();
    private final InMemorySegmentCatalog segments = new InMemorySegmentCatalog(entries);
    private final InMemoryTopicCatalog topics = new InMemoryTopicCatalog();
    private final InMemoryGroupImages groupImages = new InMemoryGroupImages();
    private final InMemoryCommittedOffsets commits = new InMemoryCommittedOffsets(groupImages);
    private final InMemoryDeliveryGroups deliveryGroups = new InMemoryDeliveryGroups();
    private final InMemoryHeartbeatTable brokers = new InMemoryHeartbeatTable();
    private final InMemoryMembershipEpochs membershipEpochs;
    private final InMemoryLifeSigns lifeSigns;
    private final InMemoryHeartbeatTable facts = new InMemoryHeartbeatTable();
    private final InMemoryHeartbeatTable removals = new InMemoryHeartbeatTable();
    private final InMemorySequences sequences = new InMemorySequences();
    private final InMemoryLeaseStore leases;
    private volatile boolean closed;

    /** With the machine's clock. */
    public InMemoryStore() {
        this(InstantSource.system());
    }

    /** With a clock for leases. */
    public InMemoryStore(InstantSource clock) {
        leases = new InMemoryLeaseStore(clock);
        membershipEpochs = new InMemoryMembershipEpochs(clock);
        lifeSigns = new InMemoryLifeSigns(brokers, membershipEpochs);
    }

    @Override
    public InMemoryEntryLog entries() {
        return entries;
    }

    @Override
    public InMemorySegmentCatalog segments() {
        return segments;
    }

    @Override
    public InMemoryTopicCatalog topics() {
        return topics;
    }

    @Override
    public CommittedOffsets commits() {
        return commits;
    }

    @Override
    public GroupImages groupImages() {
        return groupImages;
    }

    @Override
    public DeliveryGroups deliveryGroups() {
        return deliveryGroups;
    }

    @Override
    public HeartbeatTable brokers() {
        return brokers;
    }

    @Override
    public LifeSigns lifeSigns() {
        return lifeSigns;
    }

    @Override
    public MembershipEpochs membershipEpochs() {
        return membershipEpochs;
    }

    @Override
    public HeartbeatTable facts() {
        return facts;
    }

    @Override
    public HeartbeatTable removals() {
        return removals;
    }

    @Override
    public LeaseStore leases() {
        return leases;
    }

    @Override
    public Sequences sequences() {
        return sequences;
    }

    @Override
    public CompletionStage<Void> ping() {
        return closed
                ? CompletableFuture.failedStage(new StoreException(Kind.UNAVAILABLE, "the store is closed"))
                : CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<MemoryUse> memory() {
        return ping().thenApply(pong -> new MemoryUse(1, 0));
    }

    @Override
    public void close() {
        closed = true;
    }
}
