package io.korvet.tiering;

import io.korvet.store.StreamName;
import java.time.Instant;

/**
 * An offload under way.
 *
 * @param stream whose segment
 * @param segment its number
 * @param entries how many it has
 * @param copied how many of them are copied so far
 * @param begun when it began
 */
public record ActiveOffload(StreamName stream, long segment, long entries, long copied, Instant begun) {}
