package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.MemoryUse;
import org.junit.jupiter.api.Test;

class RedisMemoryTest {

    @Test
    void theConfiguredLimitCountsElseTheMachinesMemory() {
        String info =
                "# Memory\r\nused_memory:300\r\nused_memory_peak:500\r\ntotal_system_memory:4000\r\nmaxmemory:%d\r\n";

        assertThat(RedisMemory.parse(info.formatted(1000))).isEqualTo(new MemoryUse(300, 1000));
        assertThat(RedisMemory.parse(info.formatted(1000)).ratio()).isEqualTo(0.3);
        assertThat(RedisMemory.parse(info.formatted(0))).isEqualTo(new MemoryUse(300, 4000));
    }

    @Test
    void withoutALimitTheRatioIsNotKnown() {
        assertThat(RedisMemory.parse("used_memory:300\n").ratio()).isNaN();
        assertThat(RedisMemory.parse("")).isEqualTo(new MemoryUse(0, 0));
    }
}
