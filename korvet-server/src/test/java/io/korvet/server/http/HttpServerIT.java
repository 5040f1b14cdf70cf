package io.korvet.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.korvet.server.StartException;
import io.korvet.server.config.KorvetConfig;
import io.korvet.server.http.HealthChecks.Health;
import io.korvet.server.metrics.BrokerMeters;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpServerIT {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final AtomicReference<CompletionStage<Map<String, Health>>> health =
            new AtomicReference<>(CompletableFuture.completedFuture(Map.of("redis", Health.up("redis://here"))));
    private final AtomicInteger asked = new AtomicInteger();
    private final BrokerMeters meters = new BrokerMeters();
    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpServer server = server(Map.of("admin.password", "secret"));
    private int port;

    private HttpServer server(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.putIfAbsent("admin.port", "0");
        all.put("admin.host", "127.0.0.1");
        HealthChecks checks = () -> {
            asked.incrementAndGet();
            return Objects.requireNonNull(health.get());
        };
        return new HttpServer(
                KorvetConfig.of(all).admin(),
                checks,
                meters,
                Map.of("name", "korvet"),
                () -> Objects.requireNonNull(now.get()));
    }

    @BeforeEach
    void start() {
        port = server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
        meters.close();
    }

    @Test
    void healthAndReadinessFollowTheChecksAndLivenessDoesNot() throws Exception {
        assertThat(call("GET", "/actuator/health").body()).contains("\"status\":\"UP\"", "redis://here");
        now.set(Instant.EPOCH.plusSeconds(2));
        health.set(CompletableFuture.completedFuture(Map.of("redis", Health.down("connection refused"))));

        HttpResponse<String> ready = call("GET", "/actuator/health/readiness");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body()).contains("\"status\":\"DOWN\"", "connection refused");
        assertThat(call("GET", "/actuator/health").statusCode()).isEqualTo(503);
        assertThat(call("GET", "/actuator/health/liveness").body()).isEqualTo("{\"status\":\"UP\"}");
    }

    @Test
    void theChecksAreAskedAtMostOnceASecond() throws Exception {
        for (int call = 0; call < 5; call++) {
            call("GET", "/actuator/health");
        }
        assertThat(asked).hasValue(1);
        now.set(Instant.EPOCH.plusMillis(1000));
        call("GET", "/actuator/health");
        assertThat(asked).hasValue(2);
        now.set(Instant.EPOCH.minusSeconds(3600));
        call("GET", "/actuator/health");
        assertThat(asked).hasValue(3);
    }

    @Test
    void checksThatHangOrFailAreDown() throws Exception {
        health.set(new CompletableFuture<>());
        HttpResponse<String> hanging = call("GET", "/actuator/health/readiness");
        assertThat(hanging.statusCode()).isEqualTo(503);
        assertThat(hanging.body()).contains("no answer within 2 s");
        now.set(Instant.EPOCH.plusSeconds(5));
        health.set(CompletableFuture.failedFuture(new IllegalStateException("broken")));
        assertThat(call("GET", "/actuator/health").body()).contains("broken");
    }

    @Test
    void metricsNeedCredentials() throws Exception {
        meters.requestFinished("Produce", "ok", 1_000_000);

        HttpResponse<String> refused = call("GET", "/actuator/prometheus");
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.headers().firstValue("WWW-Authenticate"))
                .hasValueSatisfying(header -> assertThat(header).startsWith("Basic"));
        assertThat(call("GET", "/actuator/prometheus", "admin:wrong").statusCode())
                .isEqualTo(401);
        HttpResponse<String> given = call("GET", "/actuator/prometheus", "admin:secret");
        assertThat(given.statusCode()).isEqualTo(200);
        assertThat(given.body())
                .contains("korvet_broker_request_seconds_count{api_key=\"Produce\",result=\"ok\"} 1")
                .contains("jvm_memory_used_bytes");
    }

    @Test
    void metricsAreOpenWhenSaidSo() {
        HttpServer open = server(Map.of("admin.anonymous-prometheus", "true"));
        port = open.start();
        try {
            assertThat(call("GET", "/actuator/prometheus").statusCode()).isEqualTo(200);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            open.stop();
        }
    }

    @Test
    void unknownPathsAndMethodsAreRefused() throws Exception {
        assertThat(call("GET", "/").statusCode()).isEqualTo(404);
        assertThat(call("POST", "/nowhere").statusCode()).isEqualTo(404);
        HttpResponse<String> refused = call("POST", "/actuator/health");
        assertThat(refused.statusCode()).isEqualTo(405);
        assertThat(refused.headers().firstValue("Allow")).contains("GET, HEAD");
        assertThat(call("HEAD", "/actuator/info").body()).isEmpty();
        assertThat(call("GET", "/actuator/info?a=b").body()).isEqualTo("{\"name\":\"korvet\"}");
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        String first = "GET /actuator/health/readiness HTTP/1.1\r\nHost: x\r\n\r\n";
        String second = "GET /actuator/info HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        assertThat(raw(first + second)).containsSubsequence("UP", "korvet");
    }

    @Test
    void garbageLongHeadersAndLargeBodiesEndTheConnection() throws Exception {
        assertThat(raw("\0\1\2\3garbage\r\n\r\n")).contains("400");
        assertThat(raw("GET / HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n"))
                .contains("400");
        assertThat(raw("POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n")).contains("413");
    }

    @Test
    void aTakenPortIsSaid() {
        assertThatExceptionOfType(StartException.class)
                .isThrownBy(
                        () -> server(Map.of("admin.port", String.valueOf(port))).start())
                .withMessageContaining("port " + port + " is in use")
                .withMessageContaining("--http-port");
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private HttpResponse<String> call(String method, String path) throws IOException, InterruptedException {
        return send(request(method, path).build());
    }

    private HttpResponse<String> call(String method, String path, String credentials)
            throws IOException, InterruptedException {
        String encoded = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
        return send(request(method, path)
                .header("Authorization", "Basic " + encoded)
                .build());
    }

    private HttpRequest.Builder request(String method, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
