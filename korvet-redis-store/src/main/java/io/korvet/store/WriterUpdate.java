package io.korvet.store;

/**
 * A compare-and-set of one writer's state that must hold for an append to happen.
 *
 * @param writer the writer's id
 * @param expected the state the caller believes is stored, empty for a writer the log doesn't know
 * @param next the state to store with the append; opaque, printable, at most a few hundred characters
 */
public record WriterUpdate(String writer, String expected, String next) {}
