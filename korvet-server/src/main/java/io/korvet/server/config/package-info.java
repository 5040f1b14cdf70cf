/**
 * Configuration: one record tree that mirrors the YAML ({@link io.korvet.server.config.KorvetConfig}), and its reader.
 *
 * <p>A new key is one record component with a {@link io.korvet.server.config.Setting}: parsing, environment names, error
 * messages, {@code korvet config} and docs/configuration.md follow from it.
 */
@NullMarked
package io.korvet.server.config;

import org.jspecify.annotations.NullMarked;
