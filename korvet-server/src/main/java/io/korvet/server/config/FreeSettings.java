package io.korvet.server.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes a component of type {@code Map<String, String>} that takes every key below its own, with any value: properties
 * of something that Korvet passes on.
 *
 * <p>In the name of an environment variable one underscore stands for a dash and two for a dot:
 * {@code …_CATALOG_JDBC__USER} is {@code catalog.jdbc.user}, {@code …_CATALOG_IO_IMPL} is {@code catalog.io-impl}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface FreeSettings {

    /** What the keys do, one sentence for docs/configuration.md. */
    String text();
}
