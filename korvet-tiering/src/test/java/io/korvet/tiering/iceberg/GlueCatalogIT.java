package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Glue's catalog as far as it goes without Glue: it is built, asks for the table, and a jar that is missing is named. */
class GlueCatalogIT {

    private static final String DENIED = "{\"__type\":\"AccessDeniedException\",\"Message\":\"not this one\"}";
    private static final String NONE = "{\"__type\":\"EntityNotFoundException\",\"Message\":\"there is none\"}";

    @TempDir
    Path directory;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer glue;

    @BeforeEach
    void start() throws IOException {
        glue = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        glue.createContext("/", this::answer);
        glue.start();
    }

    @AfterEach
    void stop() {
        glue.stop(0);
    }

    /** There is no table, and nobody may make one. */
    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
            asked.add(target);
            byte[] body = (target.startsWith("AWSGlue.Get") ? NONE : DENIED).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(400, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Test
    void itIsBuiltFromThePropertiesAndAsksGlue() {
        Map<String, String> properties = Map.of(
                "type",
                "glue",
                "glue.endpoint",
                "http://127.0.0.1:" + glue.getAddress().getPort(),
                "client.region",
                "eu-central-1",
                "client.credentials-provider",
                "software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider");
        assertThatThrownBy(() -> ArchiveTable.open(
                        TestSettings.withCatalog(ArchiveSettings.at("file://" + directory), properties)))
                .isInstanceOfSatisfying(
                        ColdTierException.class,
                        failure -> assertThat(failure.kind())
                                .as(failure.toString())
                                .isEqualTo(Kind.REFUSED))
                .hasMessageContaining("not this one");
        assertThat(asked).first().isEqualTo("AWSGlue.GetTable");
        assertThat(asked).last().isEqualTo("AWSGlue.CreateDatabase");
    }

    @Test
    void withoutItsJarItIsRefusedAndTheJarNamed() throws Exception {
        URL[] others = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("/glue-") && !entry.contains("/glue/"))
                .map(GlueCatalogIT::url)
                .toArray(URL[]::new);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(others, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            var open = loader.loadClass(Opening.class.getName()).getMethod("open", String.class);
            open.setAccessible(true);
            assertThatThrownBy(() -> {
                        try {
                            open.invoke(null, "file://" + directory);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    })
                    .hasMessageContaining("REFUSED")
                    .hasMessageContaining("software.amazon.awssdk:glue")
                    .hasMessageContaining("lib/extra");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What is done among other classes. */
    static final class Opening {

        private Opening() {}

        public static void open(String path) {
            try {
                ArchiveTable.open(TestSettings.withCatalog(ArchiveSettings.at(path), Map.of("type", "glue")))
                        .close();
            } catch (ColdTierException e) {
                throw new IllegalStateException(e.kind() + ": " + e.getMessage(), e);
            }
        }
    }
}
