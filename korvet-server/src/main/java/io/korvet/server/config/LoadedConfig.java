package io.korvet.server.config;

import java.util.List;
import java.util.Optional;

/**
 * A configuration and where its values came from.
 *
 * @param config the values
 * @param effective every key with a value, in the order of the records
 */
public record LoadedConfig(KorvetConfig config, List<Effective> effective) {

    /**
     * One key's value.
     *
     * @param key the full key
     * @param shown the value as written, {@code ***} for a secret
     * @param source where it came from; {@code default} when nobody set it
     */
    public record Effective(String key, String shown, String source) {

        /** Whether somebody set the key. */
        public boolean isSet() {
            return !source.equals("default");
        }
    }

    /** Copies the list. */
    public LoadedConfig {
        effective = List.copyOf(effective);
    }

    /** Who set a key; empty when nobody did. */
    public Optional<String> sourceOf(String key) {
        return effective.stream()
                .filter(entry -> entry.key().equals(key) && entry.isSet())
                .map(Effective::source)
                .findFirst();
    }
}
