package io.korvet.server.log;

import io.korvet.offsets.DenseEncoding;
import io.korvet.server.topics.TopicSettings;

/** Settings of topics for tests of single classes. */
final class TestSettings {

    private TestSettings() {}

    /** Dense offsets, and of so many copies. */
    static TopicSettings dense(int minInsyncReplicas) {
        return new TopicSettings(
                new DenseEncoding(),
                -1,
                -1,
                -1,
                -1,
                false,
                1,
                1 << 20,
                1 << 20,
                false,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                "producer",
                minInsyncReplicas,
                false,
                true);
    }
}
