package io.korvet.cluster;

/** Hears of deaths and lost rows, for meters. Called on the scheduler's thread; must not block. */
public interface MembershipObserver {

    /** Counts nothing. */
    MembershipObserver NONE = new MembershipObserver() {};

    /**
     * This broker declared another one dead; of all brokers that saw the death, one is called. With {@link Evidence#AGE} each
     * broker judges for itself, so all are.
     */
    default void declaredDead(int brokerId, Evidence evidence) {}

    /** This broker found that another one had declared it dead. */
    default void foundDeclaredDead() {}

    /** This broker's row in the registry was gone or changed, and was written again. */
    default void lostRow() {}
}
