package io.korvet.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The document of results: a run replaces what is between its two markers, all else is written by hand. */
public final class BenchmarkDocument {

    private static final String BEGIN = "<!-- results: written by benchmarks/run --write -->";
    private static final String END = "<!-- end of results -->";

    private BenchmarkDocument() {}

    /** Replaces the results in a file that has the markers. */
    public static void write(Path document, String results) throws IOException {
        Files.writeString(document, replace(Files.readString(document), results));
    }

    /** The text with other results. */
    static String replace(String text, String results) throws IOException {
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IOException("document has no results to replace: expected " + BEGIN + " and " + END);
        }
        return text.substring(0, begin + BEGIN.length()) + "\n\n" + results.strip() + "\n\n" + text.substring(end);
    }
}
