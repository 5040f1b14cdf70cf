package io.korvet.server.log;

import io.korvet.store.EntryLog;
import io.netty.buffer.ByteBufAllocator;
import java.time.InstantSource;

/** What all partitions of a broker share. */
record LogContext(
        EntryLog entries,
        TailCache tailCache,
        ReadTurns readTurns,
        ReadTurns coldTurns,
        ByteBufAllocator allocator,
        InstantSource clock,
        Limits limits,
        LogObserver observer,
        AppendFailures failures) {}
