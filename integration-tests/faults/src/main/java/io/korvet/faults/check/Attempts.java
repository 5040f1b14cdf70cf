package io.korvet.faults.check;

import io.korvet.faults.history.Event;
import io.korvet.faults.history.Event.Acknowledged;
import io.korvet.faults.history.Event.Failed;
import io.korvet.faults.history.Event.Sent;
import io.korvet.faults.history.Event.Unknown;
import io.korvet.faults.history.EventLine;
import io.korvet.faults.history.History.Client;
import io.korvet.faults.history.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What all producers sent, with what they were told about it. */
final class Attempts {
    private final Map<Value, Attempt> all = new HashMap<>();

    /**
     * A record that was sent.
     *
     * @param client whose history it is in
     * @param told the answer; {@code null} when the run ended before it, which is as good as unknown
     */
    record Attempt(String client, Sent sent, @Nullable Event told) {
        /** Its lines of the history. */
        List<String> lines() {
            List<String> lines = new ArrayList<>(List.of(client + " " + EventLine.write(sent)));
            if (told != null) {
                lines.add(client + " " + EventLine.write(told));
            }
            return lines;
        }

        /** When it was acknowledged; beyond all times when it wasn't. */
        long acknowledgedAt() {
            return told instanceof Acknowledged ? told.time() : Long.MAX_VALUE;
        }
    }

    /** Reads the histories of the producers. */
    Attempts(List<Client> producers) {
        for (Client client : producers) {
            try (Stream<Event> events = client.events()) {
                events.forEach(event -> add(client.name(), event));
            }
        }
    }

    private void add(String client, Event event) {
        if (event instanceof Sent sent) {
            all.put(sent.value(), new Attempt(client, sent, null));
        } else if (event instanceof Acknowledged told) {
            tell(told.value(), told);
        } else if (event instanceof Failed told) {
            tell(told.value(), told);
        } else if (event instanceof Unknown told) {
            tell(told.value(), told);
        }
    }

    private void tell(Value value, Event told) {
        all.computeIfPresent(value, (key, attempt) -> new Attempt(attempt.client(), attempt.sent(), told));
    }

    /** Every record that was sent. */
    Iterable<Attempt> each() {
        return all.values();
    }

    /** How many were sent. */
    long size() {
        return all.size();
    }

    /** How many got an answer of this kind. */
    long told(Class<? extends Event> kind) {
        return all.values().stream()
                .filter(attempt -> kind.isInstance(attempt.told()))
                .count();
    }

    /** The attempt that sent a value, {@code null} when nobody did. */
    @Nullable
    Attempt of(Value value) {
        return all.get(value);
    }
}
