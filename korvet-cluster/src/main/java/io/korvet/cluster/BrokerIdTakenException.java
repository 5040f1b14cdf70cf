package io.korvet.cluster;

/** A broker's id is held by a live broker at another endpoint; the message names both. */
public final class BrokerIdTakenException extends RuntimeException {

    private final Endpoint wanted;
    private final Endpoint holder;

    /** An id, the endpoint that wanted it and the broker that has it. */
    public BrokerIdTakenException(Endpoint wanted, BrokerNode holder, long ageMilliseconds) {
        super("broker id " + holder.id() + " is held by a live broker at " + holder.primary() + " (last heartbeat "
                + ageMilliseconds + " ms ago), so the one at " + wanted
                + " can't have it: give each broker an id of its"
                + " own (korvet.broker.id), or wait until the other one's entry is stale");
        this.wanted = wanted;
        this.holder = holder.primary();
    }

    /** The endpoint of the broker that wanted the id. */
    public Endpoint wanted() {
        return wanted;
    }

    /** The endpoint of the broker that has the id. */
    public Endpoint holder() {
        return holder;
    }
}
