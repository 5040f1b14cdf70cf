package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.protocol.ApiCatalog;
import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.server.dispatch.ErrorMapper.Family;
import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.tiering.ColdTierException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Holds documents to what the code says. */
class DocumentsTest {

    private static final Path ROOT = Path.of("..");

    @Test
    void theContractHasTheTableOfServedApis() throws IOException {
        assertThat(document("kafka-contract.md")).contains(ApiCatalog.SERVED.toMarkdown());
    }

    @Test
    void theTestsNamedInTheContractExist() throws IOException {
        assertNamedTestsExist("kafka-contract.md", 30);
    }

    @Test
    void theTestsNamedForDeploymentsExist() throws IOException {
        assertNamedTestsExist("deployment.md", 15);
    }

    private static void assertNamedTestsExist(String document, int atLeast) throws IOException {
        List<MatchResult> named = Pattern.compile("`(\\w+(?:Test|IT|Contract))\\.(\\w+)`")
                .matcher(document(document))
                .results()
                .toList();
        List<String> missing = new ArrayList<>();
        for (MatchResult test : named) {
            Path source = source(test.group(1));
            if (source == null || !Files.readString(source).contains("void " + test.group(2) + "(")) {
                missing.add(test.group());
            }
        }
        assertThat(named).hasSizeGreaterThan(atLeast);
        assertThat(missing).isEmpty();
    }

    @Test
    void theTableOfErrorsIsTheMappers() throws IOException {
        Map<String, Throwable> failures = new LinkedHashMap<>();
        failures.put("the store is away (UNAVAILABLE)", new StoreException(Kind.UNAVAILABLE, ""));
        failures.put("the store's answer was lost (OUTCOME_UNKNOWN)", new StoreException(Kind.OUTCOME_UNKNOWN, ""));
        failures.put("Redis is at its memory limit (OUT_OF_MEMORY)", new StoreException(Kind.OUT_OF_MEMORY, ""));
        failures.put("Redis refuses otherwise (REFUSED)", new StoreException(Kind.REFUSED, ""));
        failures.put("what is stored can't be understood (CORRUPT)", new StoreException(Kind.CORRUPT, ""));
        for (ColdTierException.Kind kind : ColdTierException.Kind.values()) {
            failures.put("a read of the cold tier fails (" + kind + ")", new ColdTierException(kind, ""));
        }
        failures.put("a refusal of Kafka's kind, here of a topic's name", new InvalidTopicException());
        failures.put("anything else: a mistake in Korvet", new IllegalStateException());
        StringBuilder table = new StringBuilder();
        failures.forEach((name, failure) -> table.append("| %s | %s | %s | %s |\n"
                .formatted(
                        name,
                        ErrorMapper.errorOf(Family.DATA, failure),
                        ErrorMapper.errorOf(Family.COORDINATOR, failure),
                        ErrorMapper.errorOf(Family.ADMIN, failure))));

        assertThat(document("errors.md")).contains(table);
    }

    private static String document(String name) throws IOException {
        return Files.readString(ROOT.resolve("docs").resolve(name));
    }

    private static @Nullable Path source(String simpleName) throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.toList()) {
                Path tests = module.resolve("src/test/java");
                if (Files.isDirectory(tests)) {
                    try (Stream<Path> sources = Files.walk(tests)) {
                        Path found = sources.filter(
                                        path -> path.getFileName().toString().equals(simpleName + ".java"))
                                .findFirst()
                                .orElse(null);
                        if (found != null) {
                            return found;
                        }
                    }
                }
            }
        }
        return null;
    }
}
