package io.korvet.server.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A YAML file as flat keys ({@code a.b[0].c}) with the line each stands on. */
final class YamlSource {

    private final String name;
    private final Map<String, RawValue> values;
    private final List<ConfigProblem> problems;

    private YamlSource(String name, Map<String, RawValue> values, List<ConfigProblem> problems) {
        this.name = name;
        this.values = values;
        this.problems = problems;
    }

    /** Puts a file's values into {@code values}; what is wrong with the file goes to {@code problems}. */
    static void read(Path file, Map<String, RawValue> values, List<ConfigProblem> problems) {
        String name = String.valueOf(file.getFileName());
        try (Reader reader = Files.newBufferedReader(file);
                JsonParser parser = new YAMLFactory().createParser(reader)) {
            if (parser.nextToken() != null) {
                new YamlSource(name, values, problems).value(parser, "");
            }
        } catch (NoSuchFileException e) {
            problems.add(new ConfigProblem("--config", file.toString(), "command line", "there is no such file", null));
        } catch (JsonProcessingException e) {
            String line = e.getLocation() == null
                    ? name
                    : name + ":" + e.getLocation().getLineNr();
            String first = e.getOriginalMessage().lines().findFirst().orElse("not YAML");
            problems.add(new ConfigProblem("--config", file.toString(), line, "not readable as YAML: " + first, null));
        } catch (IOException e) {
            problems.add(new ConfigProblem("--config", file.toString(), "command line", "can't be read: " + e, null));
        }
    }

    private void value(JsonParser parser, String key) throws IOException {
        String source = name + ":" + parser.currentTokenLocation().getLineNr();
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String child = parser.currentName();
                    parser.nextToken();
                    value(parser, key.isEmpty() ? child : key + "." + child);
                }
            }
            case START_ARRAY -> {
                for (int index = 0; parser.nextToken() != JsonToken.END_ARRAY; index++) {
                    value(parser, key + "[" + index + "]");
                }
            }
            case VALUE_NULL -> {}
            default -> {
                RawValue before = values.put(key, new RawValue(parser.getText(), source));
                if (before != null) {
                    problems.add(new ConfigProblem(
                            key, parser.getText(), source, "already set at " + before.source(), null));
                }
            }
        }
    }
}
