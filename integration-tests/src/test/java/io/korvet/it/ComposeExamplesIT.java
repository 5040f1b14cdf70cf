package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.korvet.it.examples.EffectiveConfig;
import io.korvet.it.examples.Examples;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The compose files of the distribution: each container's environment is read by the configuration reader itself. */
class ComposeExamplesIT {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)(:\\?[^}]*)?}");

    static List<Path> files() {
        return Examples.files("compose");
    }

    @Test
    void thereAreFilesForOneBrokerThreeBrokersAndSeveralListeners() {
        assertThat(files())
                .extracting(file -> file.getFileName().toString())
                .containsExactly("listeners.yml", "one-broker.yml", "three-brokers.yml");
        assertThat(brokers(services("three-brokers.yml"))).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource("files")
    void servicesNameOnlyWhatIsThere(Path file) {
        JsonNode document = Examples.documents(file).get(0);
        for (Map.Entry<String, JsonNode> service : services(file).entrySet()) {
            assertThat(service.getValue().path("image").asText())
                    .as(service.getKey())
                    .matches("korvet:latest|redis:[0-9.]+");
            service.getValue()
                    .path("depends_on")
                    .fieldNames()
                    .forEachRemaining(name -> assertThat(services(file)).containsKey(name));
            service.getValue()
                    .path("volumes")
                    .forEach(volume -> assertThat(
                                    document.path("volumes").has(volume.asText().split(":", -1)[0]))
                            .isTrue());
        }
    }

    /** Clients in the network are sent to a service's name and the port listened at, those outside to a published port. */
    @ParameterizedTest
    @MethodSource("files")
    void eachBrokerIsAcceptedAndReachableWhereItSaysAndUniqueInItsFile(Path file) {
        Map<String, JsonNode> brokers = brokers(services(file));
        assertThat(brokers).isNotEmpty();
        Set<String> ids = new HashSet<>();
        List<String> endpoints = new ArrayList<>();
        Set<String> listeners = new HashSet<>();
        brokers.forEach((name, service) -> {
            EffectiveConfig config = EffectiveConfig.of(environment(service));
            Map<Integer, Integer> published = published(service);
            assertThat(config.ports()).as(name).containsAll(published.values());
            assertThat(service.path("command").asText()).isEqualTo("server");
            assertThat(config.value("redis.uri")).isEqualTo("redis://redis:6379");
            Set<String> reachable = new HashSet<>(Set.of(name + ":" + config.value("broker.port")));
            published.keySet().forEach(port -> reachable.add("localhost:" + port));
            endpoints.add(config.primaryEndpoint());
            assertThat(reachable).contains(config.primaryEndpoint());
            if (!config.value("broker.listeners[0].name").isEmpty()) {
                endpoints.add(config.listenerEndpoint());
                assertThat(reachable).contains(config.listenerEndpoint());
                assertThat(published).containsValue(config.number("broker.listeners[0].port"));
            }
            listeners.add(config.value("broker.listeners[0].name"));
            ids.add(config.value("broker.id"));
        });
        assertThat(ids).hasSameSizeAs(brokers.keySet());
        assertThat(endpoints).doesNotHaveDuplicates();
        assertThat(listeners).as("all brokers have the same listeners").hasSize(1);
    }

    private static Map<String, JsonNode> services(String name) {
        return services(
                files().stream().filter(file -> file.endsWith(name)).findFirst().orElseThrow());
    }

    private static Map<String, JsonNode> services(Path file) {
        List<JsonNode> documents = Examples.documents(file);
        assertThat(documents).hasSize(1);
        Map<String, JsonNode> services = new TreeMap<>();
        documents.get(0).path("services").properties().forEach(each -> services.put(each.getKey(), each.getValue()));
        return services;
    }

    private static Map<String, JsonNode> brokers(Map<String, JsonNode> services) {
        return services.entrySet().stream()
                .filter(each -> each.getValue().path("image").asText().startsWith("korvet:"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Map<String, String> environment(JsonNode service) {
        Map<String, String> environment = new HashMap<>();
        service.path("environment").properties().forEach(each -> {
            assertThat(each.getValue().isTextual())
                    .as(each.getKey() + " is a text")
                    .isTrue();
            environment.put(
                    each.getKey(), VARIABLE.matcher(each.getValue().asText()).replaceAll("some-$1"));
        });
        return environment;
    }

    /** Port of this machine to port of the container. */
    private static Map<Integer, Integer> published(JsonNode service) {
        return StreamSupport.stream(service.path("ports").spliterator(), false)
                .map(each -> each.asText().split(":", -1))
                .collect(Collectors.toMap(pair -> Integer.parseInt(pair[0]), pair -> Integer.parseInt(pair[1])));
    }
}
