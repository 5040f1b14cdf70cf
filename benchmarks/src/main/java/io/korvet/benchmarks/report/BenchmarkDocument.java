package io.korvet.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The document of results: a run replaces what is between its two markers, all else is written by hand. */
public final class BenchmarkDocument {

    /** Which of the document's results. */
    public enum Part {
        /** Produce, consume, latency. */
        BROKER("<!-- results: written by benchmarks/run --write -->", "<!-- end of results -->"),
        /** The archive. */
        ARCHIVE(
                "<!-- results: written by benchmarks/run --archive --write -->",
                "<!-- end of the archive's results -->");

        private final String begin;
        private final String end;

        Part(String begin, String end) {
            this.begin = begin;
            this.end = end;
        }
    }

    private BenchmarkDocument() {}

    /** Replaces one part's results in a file that has its markers. */
    public static void write(Path document, Part part, String results) throws IOException {
        Files.writeString(document, replace(Files.readString(document), part, results));
    }

    /** The text with other results. */
    static String replace(String text, Part part, String results) throws IOException {
        int begin = text.indexOf(part.begin);
        int end = text.indexOf(part.end);
        if (begin < 0 || end < begin) {
            throw new IOException("document has no results to replace: expected " + part.begin + " and " + part.end);
        }
        return text.substring(0, begin + part.begin.length()) + "\n\n" + results.strip() + "\n\n" + text.substring(end);
    }
}
