package io.korvet.it.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Kubernetes manifests, resolved as far as Kubernetes does it with names, environments, selectors and ports. */
public final class Manifests {
    private static final Set<String> PROBES = Set.of("livenessProbe", "readinessProbe", "startupProbe");

    private final Map<String, JsonNode> objects = new LinkedHashMap<>();
    private final List<String> names = new ArrayList<>();

    private Manifests() {}

    /** Reads files; each document must say what it is. */
    public static Manifests read(List<Path> files) {
        Manifests manifests = new Manifests();
        for (Path file : files) {
            for (JsonNode document : Examples.documents(file)) {
                assertThat(document.path("apiVersion").asText())
                        .as(file.toString())
                        .isNotEmpty();
                String name = document.path("kind").asText() + "/"
                        + document.at("/metadata/name").asText();
                manifests.names.add(name);
                manifests.objects.put(name, document);
            }
        }
        return manifests;
    }

    /** Kind and name of every object, in their order. */
    public List<String> names() {
        return names;
    }

    /** An object by kind and name. */
    public JsonNode get(String name) {
        return Objects.requireNonNull(objects.get(name), name);
    }

    /** The one container of a workload's pods. */
    public JsonNode container(String workload) {
        JsonNode containers = get(workload).at("/spec/template/spec/containers");
        assertThat(containers).as(workload).hasSize(1);
        assertThat(containers.path(0).path("image").asText()).isEqualTo("korvet:latest");
        return containers.path(0);
    }

    /** A container's variables: from ConfigMaps, then its own, those that refer to fields taken from {@code fields}. */
    public Map<String, String> environment(JsonNode container, Map<String, String> fields) {
        Map<String, String> environment = new HashMap<>();
        for (JsonNode source : container.path("envFrom")) {
            if (source.has("configMapRef")) {
                String map = source.at("/configMapRef/name").asText();
                get("ConfigMap/" + map)
                        .path("data")
                        .properties()
                        .forEach(each -> environment.put(each.getKey(), text(each.getValue())));
            } else {
                assertThat(source.at("/secretRef/optional").asBoolean()).isTrue();
            }
        }
        for (JsonNode variable : container.path("env")) {
            String field = variable.at("/valueFrom/fieldRef/fieldPath").asText();
            environment.put(
                    variable.path("name").asText(),
                    field.isEmpty() ? text(variable.path("value")) : Objects.requireNonNull(fields.get(field), field));
        }
        return environment;
    }

    /** Kubernetes refuses numbers where it expects texts. */
    private static String text(JsonNode value) {
        assertThat(value.isTextual()).as(value + " is a text").isTrue();
        return value.asText();
    }

    /** The variables that Kubernetes sets in every pod for services with an address. */
    public Map<String, String> serviceVariables() {
        Map<String, String> variables = new HashMap<>();
        for (String name : names) {
            if (name.startsWith("Service/")
                    && !get(name).at("/spec/clusterIP").asText().equals("None")) {
                String prefix = name.substring(8).toUpperCase(Locale.ROOT).replace('-', '_');
                String port = get(name).at("/spec/ports/0/port").asText();
                String address = "tcp://10.1.2.3:" + port;
                variables.put(prefix + "_SERVICE_HOST", "10.1.2.3");
                variables.put(prefix + "_SERVICE_PORT", port);
                variables.put(prefix + "_SERVICE_PORT_KAFKA", port);
                variables.put(prefix + "_PORT", address);
                variables.put(prefix + "_PORT_" + port + "_TCP", address);
                variables.put(prefix + "_PORT_" + port + "_TCP_PROTO", "tcp");
                variables.put(prefix + "_PORT_" + port + "_TCP_PORT", port);
                variables.put(prefix + "_PORT_" + port + "_TCP_ADDR", "10.1.2.3");
            }
        }
        return variables;
    }

    /** Whether an object's selector fits a workload's pods. */
    public boolean selects(String object, String workload) {
        JsonNode spec = get(object).path("spec");
        JsonNode selector =
                spec.path("selector").has("matchLabels") ? spec.at("/selector/matchLabels") : spec.path("selector");
        assertThat(selector).as(object).isNotEmpty();
        JsonNode labels = get(workload).at("/spec/template/metadata/labels");
        List<String> differing = new ArrayList<>();
        selector.properties().forEach(label -> {
            boolean ofPod = label.getKey().equals("statefulset.kubernetes.io/pod-name")
                    && label.getValue()
                            .asText()
                            .matches(get(workload).at("/metadata/name").asText() + "-\\d+");
            if (!ofPod && !labels.path(label.getKey()).equals(label.getValue())) {
                differing.add(label.getKey());
            }
        });
        return differing.isEmpty();
    }

    /** The ports of a workload's container that a service, which must select it, leads to. */
    public List<Integer> targets(String service, String workload) {
        assertThat(selects(service, workload)).as(service).isTrue();
        List<Integer> targets = new ArrayList<>();
        for (JsonNode port : get(service).at("/spec/ports")) {
            JsonNode target = port.has("targetPort") ? port.path("targetPort") : port.path("port");
            for (JsonNode candidate : container(workload).path("ports")) {
                if (candidate.path("containerPort").equals(target)
                        || candidate.path("name").equals(target)) {
                    targets.add(candidate.path("containerPort").asInt());
                }
            }
        }
        assertThat(targets).as(service).hasSameSizeAs(get(service).at("/spec/ports"));
        return targets;
    }

    /** The paths of all probes. */
    public Set<String> probePaths() {
        Set<String> paths = new TreeSet<>();
        for (JsonNode object : objects.values()) {
            for (String probe : PROBES) {
                object.findValues(probe)
                        .forEach(each -> paths.add(each.at("/httpGet/path").asText()));
            }
        }
        return paths;
    }

    /** A size such as {@code 512m} or {@code 4G} in MiB. */
    public static long megabytes(String size) {
        long number = Long.parseLong(size.replaceAll("\\D", ""));
        return size.toLowerCase(Locale.ROOT).endsWith("g") ? number * 1024 : number;
    }
}
