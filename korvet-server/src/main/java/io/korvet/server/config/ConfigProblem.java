package io.korvet.server.config;

import org.jspecify.annotations.Nullable;

/**
 * One thing wrong with the configuration.
 *
 * @param key the key as written, without a value for what is wrong with a source as a whole
 * @param value the value as written ({@code ***} for a secret), {@code null} when there is none
 * @param source where it came from, such as {@code korvet.yml:12}
 * @param expected what would have been right, a phrase
 * @param nearest the nearest known key, {@code null} unless the key is unknown
 */
public record ConfigProblem(
        String key,
        @Nullable String value,
        String source,
        String expected,
        @Nullable String nearest) {

    @Override
    public String toString() {
        String shown = value == null ? key : key + " = " + value;
        String hint = nearest == null ? "" : "; did you mean " + nearest + "?";
        return shown + " (" + source + "): " + expected + hint;
    }
}
