package io.korvet.faults.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * All that the clients of a run did and were told.
 *
 * @param producers of each producer, by its number
 * @param readers of the clients that read partitions of their own choice
 * @param members of the members of the one group
 * @param settled where the group stood when all was done
 * @param log every partition, read from its beginning after the run
 */
public record History(List<Client> producers, List<Client> readers, List<Client> members, Client settled, Client log) {

    /** One client's events, read again each time they are asked for. */
    public interface Client {
        /** What to call it. */
        String name();

        /** Its events in their order; to be closed. */
        Stream<Event> events();
    }

    /** Copies the lists. */
    public History {
        producers = List.copyOf(producers);
        readers = List.copyOf(readers);
        members = List.copyOf(members);
    }

    /** The history in a folder of files named {@code producer-…}, {@code reader-…}, {@code member-…}, {@code settled}, {@code log}. */
    public static History in(Path folder) {
        return new History(
                files(folder, "producer-"),
                files(folder, "reader-"),
                files(folder, "member-"),
                file(folder.resolve("settled.history")),
                file(folder.resolve("log.history")));
    }

    private static List<Client> files(Path folder, String prefix) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(path -> path.getFileName().toString().startsWith(prefix))
                    .filter(path -> path.toString().endsWith(".history"))
                    .sorted()
                    .map(History::file)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Client file(Path path) {
        String name = path.getFileName().toString().replace(".history", "");
        return new Client() {
            @Override
            public String name() {
                return name;
            }

            @Override
            @SuppressWarnings("StreamResourceLeak") // Whoever asks closes it.
            public Stream<Event> events() {
                try {
                    return Files.lines(path).map(EventLine::read);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }
}
