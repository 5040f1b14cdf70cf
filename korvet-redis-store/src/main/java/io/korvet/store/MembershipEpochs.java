package io.korvet.store;

import java.util.concurrent.CompletionStage;

/**
 * One number that stands for the set of live members, and rises when that changes. Thread-safe, nothing blocks.
 *
 * <p>A number stands for one set only, and is at least the seconds of the store's own clock since the beginning of 2026 when
 * it is given: a store that lost its data goes on above what was given before.
 */
public interface MembershipEpochs {

    /** For {@link #agree}: whatever is stored may be replaced. */
    int ANY = -1;

    /** The highest number there is; sets after it all have it. */
    int LAST = Integer.MAX_VALUE - 1;

    /**
     * A number and what it stands for.
     *
     * @param number 0 to {@link #LAST}; 0 before the first, and for anything stored that is no such number
     * @param members the set as text, empty before the first
     */
    record Epoch(int number, String members) {

        /** Before the first. */
        public static final Epoch NONE = new Epoch(0, "");
    }

    /** What is stored. */
    CompletionStage<Epoch> present();

    /**
     * Finds the number of a set, or gives it one, in one act. When the set is stored with a number of at least
     * {@code least}, that is the answer. Otherwise the set gets a number above the stored one, unless the stored one is
     * not {@code seen} any more: then nothing is changed, since another member has looked later.
     *
     * @param members the set as the asker sees it
     * @param least the lowest number it takes for the set
     * @param seen the number that was stored before the asker looked who is there, or {@link #ANY}
     * @return what is stored afterwards; of other members when {@code seen} was not
     */
    CompletionStage<Epoch> agree(String members, int least, int seen);
}
