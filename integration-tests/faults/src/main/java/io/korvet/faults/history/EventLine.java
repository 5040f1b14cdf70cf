package io.korvet.faults.history;

import io.korvet.faults.history.Event.Acknowledged;
import io.korvet.faults.history.Event.Assigned;
import io.korvet.faults.history.Event.Broken;
import io.korvet.faults.history.Event.CommitBegun;
import io.korvet.faults.history.Event.Committed;
import io.korvet.faults.history.Event.Failed;
import io.korvet.faults.history.Event.Note;
import io.korvet.faults.history.Event.Positioned;
import io.korvet.faults.history.Event.Read;
import io.korvet.faults.history.Event.Sent;
import io.korvet.faults.history.Event.Settled;
import io.korvet.faults.history.Event.Unknown;

/** An event as one line of text: the time, a word, then its parts, separated by blanks; a reason comes last. */
public final class EventLine {
    private EventLine() {}

    /** Writes an event. */
    public static String write(Event event) {
        if (event instanceof Sent e) {
            return e.time() + " sent " + e.partition() + ' ' + e.value() + ' ' + e.timestamp();
        } else if (event instanceof Acknowledged e) {
            return e.time() + " acknowledged " + e.partition() + ' ' + e.value() + ' ' + e.offset();
        } else if (event instanceof Failed e) {
            return e.time() + " failed " + e.partition() + ' ' + e.value() + ' ' + oneLine(e.reason());
        } else if (event instanceof Unknown e) {
            return e.time() + " unknown " + e.partition() + ' ' + e.value() + ' ' + oneLine(e.reason());
        } else if (event instanceof Positioned e) {
            return e.time() + " positioned " + e.partition() + ' ' + e.offset();
        } else if (event instanceof Assigned e) {
            return e.time() + " assigned " + e.partition();
        } else if (event instanceof Read e) {
            return e.time() + " read " + e.partition() + ' ' + e.offset() + ' ' + e.timestamp() + ' ' + e.value();
        } else if (event instanceof Broken e) {
            return e.time() + " broken " + e.partition() + ' ' + e.offset() + ' ' + oneLine(e.reason());
        } else if (event instanceof CommitBegun e) {
            return e.time() + " commit " + e.partition() + ' ' + e.offset();
        } else if (event instanceof Committed e) {
            return e.time() + " committed " + e.partition() + ' ' + e.offset();
        } else if (event instanceof Settled e) {
            return e.time() + " settled " + e.partition() + ' ' + e.committed() + ' ' + e.end();
        } else {
            return event.time() + " note " + oneLine(((Note) event).text());
        }
    }

    /**
     * Reads an event.
     *
     * @throws IllegalArgumentException when the line isn't one that {@link #write} makes
     */
    public static Event read(String line) {
        String[] head = line.split(" ", 3);
        if (head.length < 3) {
            throw new IllegalArgumentException("no event: " + line);
        }
        long time = Long.parseLong(head[0]);
        if (head[1].equals("note")) {
            return new Note(time, head[2]);
        }
        String[] parts = head[2].split(" ", 4);
        String partition = parts[0].intern();
        return switch (head[1]) {
            case "sent" -> new Sent(time, partition, value(parts[1]), Long.parseLong(parts[2]));
            case "acknowledged" -> new Acknowledged(time, partition, value(parts[1]), Long.parseLong(parts[2]));
            case "failed" -> new Failed(time, partition, value(parts[1]), rest(parts));
            case "unknown" -> new Unknown(time, partition, value(parts[1]), rest(parts));
            case "positioned" -> new Positioned(time, partition, Long.parseLong(parts[1]));
            case "assigned" -> new Assigned(time, partition);
            case "read" ->
                new Read(time, partition, Long.parseLong(parts[1]), Long.parseLong(parts[2]), value(parts[3]));
            case "broken" -> new Broken(time, partition, Long.parseLong(parts[1]), rest(parts));
            case "commit" -> new CommitBegun(time, partition, Long.parseLong(parts[1]));
            case "committed" -> new Committed(time, partition, Long.parseLong(parts[1]));
            case "settled" -> new Settled(time, partition, Long.parseLong(parts[1]), Long.parseLong(parts[2]));
            default -> throw new IllegalArgumentException("no event: " + line);
        };
    }

    private static Value value(String text) {
        int dot = text.indexOf('.');
        return new Value(Integer.parseInt(text, 0, dot, 10), Integer.parseInt(text, dot + 1, text.length(), 10));
    }

    private static String rest(String[] parts) {
        return parts.length < 3 ? "" : parts.length == 3 ? parts[2] : parts[2] + ' ' + parts[3];
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
