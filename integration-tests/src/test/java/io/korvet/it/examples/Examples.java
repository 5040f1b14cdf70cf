package io.korvet.it.examples;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.korvet.it.broker.KorvetBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files in the distribution's folder {@code examples}. */
public final class Examples {
    private static final YAMLMapper YAML = new YAMLMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(YAMLParser.Feature.EMPTY_STRING_AS_NULL)
            .build());

    private Examples() {}

    /** The unpacked distribution. */
    public static Path distribution() {
        return KorvetBroker.command().resolveSibling("..").normalize();
    }

    /** The YAML files in a folder of the examples, by name. */
    public static List<Path> files(String folder) {
        try (Stream<Path> files = Files.list(distribution().resolve("examples").resolve(folder))) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The documents of a file; a key that is there twice is an error. */
    public static List<JsonNode> documents(Path file) {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
            return documents.readAll();
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
