package io.korvet.server.log;

/**
 * Where a log starts and ends.
 *
 * @param startOffset the first offset readers may have
 * @param endOffset the offset after the last record
 */
public record LogBounds(long startOffset, long endOffset) {}
