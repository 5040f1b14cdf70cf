package io.korvet.it.scale;

import io.korvet.it.broker.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** What was measured, printed and kept in {@code target/it/scale/figures.txt}. */
final class Figures {

    private Figures() {}

    /** Prints and keeps a line. */
    static void note(String line) {
        System.out.print(line);
        append(line);
    }

    /** Keeps what is too long to be printed. */
    static void append(String lines) {
        try {
            Files.writeString(
                    ChildProcess.workFolder("scale").resolve("figures.txt"),
                    lines,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Time since a reading of {@link System#nanoTime}. */
    static double milliseconds(long begin) {
        return (System.nanoTime() - begin) / 1e6;
    }

    /** How much of a processor each process took, in percent, by its processor time before and after. */
    static String percent(double[] before, double[] after, double seconds) {
        List<String> percents = new ArrayList<>();
        for (int broker = 0; broker < before.length; broker++) {
            percents.add(String.format("%.1f", 100 * (after[broker] - before[broker]) / seconds));
        }
        return String.join(" ", percents);
    }
}
