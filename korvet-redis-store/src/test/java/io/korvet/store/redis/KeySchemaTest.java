package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.korvet.store.EntryFields;
import io.korvet.store.StreamName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeySchemaTest {

    private static final StreamName ORDERS = new StreamName("orders:0");

    private final KeySchema keys = new KeySchema("korvet");

    @Test
    void theDocumentNamesExactlyTheKeysThatThereAre() throws IOException {
        List<String> documented = Pattern.compile("(?m)^\\| `(\\{?korvet:[^`]+)` \\|")
                .matcher(document())
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(documented)
                .containsExactlyInAnyOrder(
                        keys.segment(ORDERS, 7),
                        keys.times(ORDERS, 7),
                        keys.meta(ORDERS),
                        keys.segments(ORDERS),
                        keys.producers(ORDERS),
                        keys.topics(),
                        keys.removedTopics(),
                        keys.topicsVersion(),
                        keys.brokers(),
                        keys.signs(),
                        keys.membershipEpoch(),
                        keys.facts(),
                        keys.removals(),
                        keys.commits("billing"),
                        keys.groups(),
                        keys.group("billing"),
                        keys.groupsWithMembers(),
                        keys.lease("storage-worker"),
                        keys.sequence("producer-ids"),
                        keys.sequence("storage-worker"));
    }

    @Test
    void theDocumentNamesTheFieldsOfAnEntryInTheirOrder() throws IOException {
        String section = document().split("## Entries", -1)[1].split("`headers` holds", -1)[0];
        List<String> documented = Pattern.compile("(?m)^\\| `([a-z]+)` \\|")
                .matcher(section)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertThat(documented)
                .isEqualTo(IntStream.range(0, EntryFields.COUNT)
                        .mapToObj(EntryFields::name)
                        .toList());
    }

    @Test
    void aNamespaceMustNotTouchTheHashTag() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeySchema("a{b"))
                .withMessageContaining("a{b");
        assertThatIllegalArgumentException().isThrownBy(() -> new KeySchema(""));
    }

    @Test
    void secretsDoNotShowInOptions() {
        RedisStoreOptions options = RedisStoreOptions.of("redis://me:p@ss@localhost:7000/2");
        assertThat(options.toString()).contains("redis://localhost:7000/2").doesNotContain("p@ss");
    }

    private static String document() throws IOException {
        return Files.readString(Path.of("../docs/redis-keys.md"));
    }
}
