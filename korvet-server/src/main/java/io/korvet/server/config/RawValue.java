package io.korvet.server.config;

/**
 * A value as a source has it.
 *
 * @param text the value, place-holders not yet filled
 * @param source where it stands, for people
 */
record RawValue(String text, String source) {}
