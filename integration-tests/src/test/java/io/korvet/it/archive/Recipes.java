package io.korvet.it.archive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/** The queries that docs/query-the-archive.md tells people, by engine and name. */
public final class Recipes {

    /** Where the page supposes the archive. */
    public static final String FOLDER = "/var/lib/korvet/archive";

    private static final Pattern RECIPE =
            Pattern.compile("<!-- run: (\\w+ \\w+) -->\\s*```sql\\n(.*?)```", Pattern.DOTALL);

    private final Map<String, String> queries = new LinkedHashMap<>();

    private Recipes() {}

    /** Those on the page. */
    public static Recipes onThePage() {
        Recipes recipes = new Recipes();
        try {
            RECIPE.matcher(Files.readString(Path.of("../docs/query-the-archive.md")))
                    .results()
                    .forEach(match ->
                            recipes.queries.put(match.group(1), match.group(2).strip()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return recipes;
    }

    /** One of them. */
    public String query(String engine, String name) {
        return Objects.requireNonNull(queries.get(engine + " " + name), engine + " " + name);
    }

    /** How many there are. */
    public int size() {
        return queries.size();
    }
}
