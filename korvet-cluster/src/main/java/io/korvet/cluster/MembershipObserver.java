package io.korvet.cluster;

/** Hears of deaths, for meters. Called on the scheduler's thread; must not block. */
public interface MembershipObserver {

    /** Counts nothing. */
    MembershipObserver NONE = new MembershipObserver() {};

    /** This broker declared another one dead; of all brokers that saw the death, one is called. */
    default void declaredDead(int brokerId, Evidence evidence) {}

    /** This broker found that another one had declared it dead. */
    default void foundDeclaredDead() {}
}
