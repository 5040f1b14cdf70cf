package io.korvet.testkit;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** The JUnit extension behind {@link KorvetTest}: starts a broker before a class, fills parameters in, ends it after the class. */
public final class KorvetExtension implements BeforeAllCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(KorvetExtension.class);

    /** For JUnit. */
    public KorvetExtension() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        korvet(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == EmbeddedKorvet.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return korvet(context);
    }

    /** The broker of the class, which the store closes when the class is done. */
    @SuppressWarnings("deprecation") // what JUnit 6 has instead is missing in 5.13 and 5.14
    private static EmbeddedKorvet korvet(ExtensionContext context) {
        Store store = context.getStore(NAMESPACE);
        return Objects.requireNonNull(store.getOrComputeIfAbsent(
                EmbeddedKorvet.class, key -> EmbeddedKorvet.start(settings(context)), EmbeddedKorvet.class));
    }

    private static Map<String, String> settings(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getRequiredTestClass(), KorvetTest.class)
                .map(annotation -> Arrays.stream(annotation.value())
                        .map(KorvetExtension::pair)
                        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])))
                .orElse(Map.of());
    }

    private static String[] pair(String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException("@KorvetTest(\"" + text + "\"): expected key=value");
        }
        return new String[] {text.substring(0, equals), text.substring(equals + 1)};
    }
}
