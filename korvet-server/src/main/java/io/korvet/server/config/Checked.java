package io.korvet.server.config;

/** A record whose values must fit together; its rules are asked once each value alone is good. */
interface Checked {

    /** Tells the rules that don't hold. */
    void check(Check check);

    /** Where a record tells what doesn't hold. */
    interface Check {

        /**
         * Notes a problem unless {@code holds}.
         *
         * @param key relative to the record asked
         * @param expected what would have been right, to follow "expected"
         */
        void that(boolean holds, String key, String expected);
    }
}
