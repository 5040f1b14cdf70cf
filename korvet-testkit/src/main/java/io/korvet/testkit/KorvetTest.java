package io.korvet.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a running broker: parameters of type {@link EmbeddedKorvet} are filled in.
 *
 * <p>One broker serves all methods of the class (and of nested classes); it ends after the last one.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(KorvetExtension.class)
public @interface KorvetTest {

    /** Settings as {@code key=value}, keys as in docs/configuration.md. */
    String[] value() default {};
}
