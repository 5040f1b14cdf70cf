package io.korvet.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The README's example is this method, so it compiles; and it is right. */
class ReadmeTest {

    @Test
    void theExampleIsRight() {
        OffsetEncoding encoding = new TimeEncoding(10);
        long last = OffsetAllocator.NONE; // the log is empty
        long base = OffsetAllocator.next(encoding, last, 1_700_000_000_000L);
        String first = encoding.idOf(base).toString(); // 1700000000000-0, for XADD
        String end = encoding.idOf(base + 1_500 - 1).toString(); // 1700000000001-475
        long offset = encoding.offsetOf(StreamEntryId.parse(end)); // from XRANGE back to Kafka
        boolean sameBatch = BatchSpan.holds(base, offset);

        assertThat(first).isEqualTo("1700000000000-0");
        assertThat(end).isEqualTo("1700000000001-475");
        assertThat(offset).isEqualTo(base + 1_499);
        assertThat(sameBatch).isTrue();
    }

    @Test
    void theExampleOfTheReadmeIsTheOneThatIsCompiledHere() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        String example =
                readme.substring(readme.indexOf("```java") + 7, readme.indexOf("```\n", readme.indexOf("```java") + 7));
        String source = Files.readString(Path.of("src/test/java/io/korvet/offsets/ReadmeTest.java"));
        assertThat(source.replaceAll("\\s+", "")).contains(example.replaceAll("\\s+", ""));
    }
}
