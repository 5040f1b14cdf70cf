package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.korvet.it.broker.ChildProcess;
import io.korvet.it.broker.FreePorts;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.examples.EffectiveConfig;
import io.korvet.it.examples.Examples;
import io.korvet.it.examples.Manifests;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Kubernetes manifests and the Dockerfile of the distribution, as far as that goes without a cluster. */
@Timeout(180)
class KubernetesExamplesIT {
    private static final Manifests MANIFESTS = Manifests.read(Examples.files("kubernetes"));
    private static final Path CONFIG = ChildProcess.workFolder("kubernetes-config");
    private static final int BROKERS = 3;

    @AfterAll
    static void removeFolder() throws IOException {
        Files.deleteIfExists(CONFIG.resolve("broker.env"));
        Files.delete(CONFIG);
    }

    @Test
    void thereIsADeploymentAndAStatefulSetWithAllThatBelongsToIt() {
        assertThat(Examples.files("kubernetes"))
                .extracting(file -> file.getFileName().toString())
                .containsExactly("cluster.yml", "node-port.yml", "pod-disruption-budget.yml", "single.yml");
        assertThat(MANIFESTS.names())
                .contains(
                        "Deployment/korvet",
                        "Service/korvet-service",
                        "ConfigMap/korvet-common",
                        "Service/korvet",
                        "Service/korvet-lb",
                        "StatefulSet/korvet",
                        "PodDisruptionBudget/korvet-pdb",
                        "Service/korvet-nodeport-0",
                        "Service/korvet-nodeport-1",
                        "Service/korvet-nodeport-2")
                .doesNotHaveDuplicates();
        assertThat(MANIFESTS.get("StatefulSet/korvet").at("/spec/replicas").asInt())
                .isEqualTo(BROKERS);
    }

    @Test
    void theDeploymentsEnvironmentIsAcceptedWithWhatKubernetesAddsForServices() {
        Map<String, String> environment = environment("Deployment/korvet");
        EffectiveConfig config = EffectiveConfig.of(environment);
        assertThat(config.primaryEndpoint()).isEqualTo("korvet-service:9092");
        environment.putAll(MANIFESTS.serviceVariables());
        assertThat(environment).containsKey("KORVET_LB_PORT_9092_TCP");
        EffectiveConfig.printedBy(
                EffectiveConfig.with(environment, List.of(KorvetBroker.command().toString(), "config")));
    }

    @Test
    void servicesAndProbesGoToPortsThatTheirContainersListenAt() throws IOException {
        for (String workload : List.of("Deployment/korvet", "StatefulSet/korvet")) {
            EffectiveConfig config =
                    workload.startsWith("Stateful") ? configOfBroker(0) : EffectiveConfig.of(environment(workload));
            JsonNode container = MANIFESTS.container(workload);
            Set<Integer> ports = new HashSet<>();
            container
                    .path("ports")
                    .forEach(port -> ports.add(port.path("containerPort").asInt()));
            assertThat(config.ports()).as(workload).containsExactlyInAnyOrderElementsOf(ports);
            for (String probe : List.of("livenessProbe", "readinessProbe")) {
                assertThat(container.path(probe).at("/httpGet/port").asInt()).isEqualTo(config.number("admin.port"));
            }
        }
        assertThat(MANIFESTS.targets("Service/korvet-service", "Deployment/korvet"))
                .containsExactly(9092);
        assertThat(MANIFESTS.targets("Service/korvet", "StatefulSet/korvet")).containsExactly(9092, 8080);
        assertThat(MANIFESTS.targets("Service/korvet-lb", "StatefulSet/korvet")).containsExactly(9094);
        assertThat(MANIFESTS.targets("Service/korvet-nodeport-0", "StatefulSet/korvet"))
                .containsExactly(9094);
        assertThat(MANIFESTS.selects("PodDisruptionBudget/korvet-pdb", "StatefulSet/korvet"))
                .isTrue();
    }

    @Test
    void theInitContainersFileGivesEachPodAnIdAndEndpointsOfItsOwn() throws IOException {
        Set<String> endpoints = new HashSet<>();
        for (int ordinal = 0; ordinal < BROKERS; ordinal++) {
            EffectiveConfig config = configOfBroker(ordinal);
            assertThat(config.number("broker.id")).isEqualTo(ordinal);
            assertThat(config.primaryEndpoint())
                    .isEqualTo("korvet-" + ordinal + ".korvet.default.svc.cluster.local:9092");
            JsonNode nodePort = MANIFESTS.get("Service/korvet-nodeport-" + ordinal);
            assertThat(nodePort.at("/spec/selector/statefulset.kubernetes.io~1pod-name")
                            .asText())
                    .isEqualTo("korvet-" + ordinal);
            assertThat(config.value("broker.listeners[0].name")).isEqualTo("outside");
            assertThat(config.listenerEndpoint())
                    .isEqualTo(
                            "10.0.0.1:" + nodePort.at("/spec/ports/0/nodePort").asText());
            endpoints.add(config.primaryEndpoint());
            endpoints.add(config.listenerEndpoint());
        }
        assertThat(endpoints).hasSize(2 * BROKERS);
    }

    @Test
    void heapDirectMemoryAndHalfAGigabyteFitIntoTheLimitOfMemory() {
        for (String workload : List.of("Deployment/korvet", "StatefulSet/korvet")) {
            JsonNode container = MANIFESTS.container(workload);
            String options = environment(workload).getOrDefault("JAVA_OPTS", "");
            long needed = Manifests.megabytes(options.replaceAll(".*-Xmx(\\w+).*", "$1"))
                    + Manifests.megabytes(options.replaceAll(".*-XX:MaxDirectMemorySize=(\\w+).*", "$1"))
                    + 512;
            String limit = container.at("/resources/limits/memory").asText();
            assertThat(Manifests.megabytes(limit.replace("i", ""))).as(workload).isGreaterThanOrEqualTo(needed);
        }
    }

    /** The container's own command, its file from the init container, its ports changed to free ones. */
    @Test
    void aBrokerStartedAsTheStatefulSetDoesItRegistersAnswersProbesAndLeaves() throws Exception {
        try (RedisProcess redis = new RedisProcess()) {
            redis.start();
            int http = FreePorts.next();
            Map<String, String> environment = environment("StatefulSet/korvet");
            environment.put("KORVET_REDIS_URI", redis.uri());
            environment.put("KORVET_BROKER_PORT", String.valueOf(FreePorts.next()));
            environment.put("KORVET_BROKER_LISTENERS_0_PORT", String.valueOf(FreePorts.next()));
            environment.put("KORVET_ADMIN_PORT", String.valueOf(http));
            environment.put("JAVA_OPTS", "-Xmx256m");
            runInit(2);
            String script = script(MANIFESTS.container("StatefulSet/korvet"))
                    .replace("/app/bin/korvet", KorvetBroker.command().toString());
            try (ChildProcess broker =
                    ChildProcess.start("pod", EffectiveConfig.with(environment, List.of("sh", "-c", script)))) {
                await(broker.log().toString())
                        .atMost(Duration.ofMinutes(1))
                        .failFast(broker::assertAlive)
                        .until(() -> status(http, "/actuator/health/readiness") == 200);
                assertThat(redis.command("HGET korvet:broker:nodes 2"))
                        .contains("korvet-2.korvet.default.svc.cluster.local", "\"outside\"", "10.0.0.1", "30094");
                assertThat(MANIFESTS.probePaths()).hasSize(2);
                for (String path : MANIFESTS.probePaths()) {
                    assertThat(status(http, path)).as(path).isEqualTo(200);
                }
                String metrics = MANIFESTS
                        .get("StatefulSet/korvet")
                        .at("/spec/template/metadata/annotations/prometheus.io~1path")
                        .asText();
                assertThat(status(http, metrics)).as("needs credentials").isEqualTo(401);
                // The shell has become the JVM, so that SIGTERM reaches it.
                broker.terminate();
                assertThat(broker.awaitExit(Duration.ofSeconds(1))).isZero();
            }
            assertThat(redis.command("HEXISTS korvet:broker:nodes 2")).startsWith(":0");
        }
    }

    @Test
    void theImagesFilesAreThereAndItsJarRunsAmongLinksToTheOthers() throws IOException {
        Path distribution = Examples.distribution();
        String dockerfile = Files.readString(distribution.resolve("Dockerfile"));
        assertThat(dockerfile).contains("USER 10001", "ENTRYPOINT [\"/app/bin/korvet\"]", "CMD [\"server\"]");
        assertThat(dockerfile).contains("/actuator/health/liveness");
        dockerfile
                .lines()
                .filter(line -> line.startsWith("COPY "))
                .flatMap(line ->
                        Stream.of(line.replaceAll("COPY (.*) \\S+", "$1").split(" ", -1)))
                .forEach(source -> assertThat(distribution.resolve(source)).exists());
        Path app = Files.createTempDirectory(ChildProcess.workFolder("image"), "app");
        try (Stream<Path> jars = Files.list(distribution.resolve("lib"))) {
            for (Path jar :
                    jars.filter(each -> each.toString().endsWith(".jar")).toList()) {
                Files.createSymbolicLink(app.resolve(jar.getFileName()), jar);
            }
        }
        List<String> command =
                List.of(ChildProcess.java(), "-jar", app.resolve("korvet.jar").toString(), "version");
        try (ChildProcess process = ChildProcess.start("image", command)) {
            int code = process.awaitExit(Duration.ofMinutes(1));
            assertThat(code).as(process.output()).isZero();
        }
    }

    private static Map<String, String> environment(String workload) {
        return MANIFESTS.environment(MANIFESTS.container(workload), Map.of());
    }

    /** A container's script with the shared folder and the command of this machine. */
    private static String script(JsonNode container) {
        assertThat(container.path("command").path(0).asText()).isEqualTo("sh");
        assertThat(container.path("command").path(1).asText()).isEqualTo("-c");
        return container.path("command").path(2).asText().replace("/config/", CONFIG + "/");
    }

    private static void runInit(int ordinal) {
        JsonNode init = MANIFESTS.get("StatefulSet/korvet").at("/spec/template/spec/initContainers/0");
        Map<String, String> environment = new HashMap<>(
                MANIFESTS.environment(init, Map.of("metadata.namespace", "default", "status.hostIP", "10.0.0.1")));
        environment.put("HOSTNAME", "korvet-" + ordinal);
        try (ChildProcess process =
                ChildProcess.start("init", EffectiveConfig.with(environment, List.of("sh", "-c", script(init))))) {
            int code = process.awaitExit(Duration.ofSeconds(20));
            assertThat(code).as(process.output()).isZero();
        }
    }

    private static EffectiveConfig configOfBroker(int ordinal) throws IOException {
        runInit(ordinal);
        String script = script(MANIFESTS.container("StatefulSet/korvet"))
                .replace("/app/bin/korvet server", KorvetBroker.command() + " config");
        EffectiveConfig config = EffectiveConfig.printedBy(
                EffectiveConfig.with(environment("StatefulSet/korvet"), List.of("sh", "-c", script)));
        for (String line : Files.readAllLines(CONFIG.resolve("broker.env"))) {
            assertThat(config.isSetBy(line.replaceAll("=.*", ""))).as(line).isTrue();
        }
        return config;
    }

    private static int status(int port, String path) throws InterruptedException {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .timeout(Duration.ofSeconds(5))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        }
    }
}
