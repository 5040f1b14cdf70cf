package io.korvet.server.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes one configuration key: the component's kebab-case name under the keys of the records around it. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface Setting {

    /** What the key does, one sentence for docs/configuration.md. */
    String text();

    /** The default as one would write it in the file; empty for none (the component is then null or an empty list). */
    String fallback() default "";

    /** The default in words, for the documentation, when it depends on other keys. */
    String fallbackText() default "";

    /** How a number is written. */
    Unit unit() default Unit.NONE;

    /** The smallest value allowed: a number, bytes, or milliseconds for durations. */
    long min() default 0;

    /** The largest value allowed, like {@link #min}. */
    long max() default Long.MAX_VALUE;

    /** The units of numbers. */
    enum Unit {
        /** A plain number. */
        NONE,
        /** A size, such as {@code 64MB}. */
        BYTES
    }
}
