package io.korvet.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Judges by a broker's row whether it lives.
 *
 * <p>A row seen for the first time is judged by the time in it. From then on only its changes count, measured in looks at
 * the table that succeeded: neither a clock that differs or steps, nor a store that was away, nor a pause of this process
 * makes a broker look dead. Not thread-safe.
 */
final class Liveness {

    private record Sighting(String row, long round, boolean alive) {}

    private final MembershipSettings settings;
    private final Map<String, Sighting> sightings = new HashMap<>();
    private long round;

    Liveness(MembershipSettings settings) {
        this.settings = settings;
    }

    /** A look at the whole table: forgets the members that are not in it any more. */
    void nextRound(Set<String> members) {
        round++;
        sameRound(members);
    }

    /** The same between two rounds, where nothing is counted. */
    void sameRound(Set<String> members) {
        sightings.keySet().retainAll(members);
    }

    /** Whether a member lives, given its row in this round and the time that the row names. */
    boolean isAlive(String member, String row, long heartbeatMilliseconds, long nowMilliseconds) {
        Sighting seen = sightings.get(member);
        if (seen == null) {
            boolean fresh = nowMilliseconds - heartbeatMilliseconds
                    <= settings.staleAfter().toMillis();
            seen = new Sighting(row, round, fresh);
            sightings.put(member, seen);
        } else if (!seen.row().equals(row)) {
            seen = new Sighting(row, round, true);
            sightings.put(member, seen);
        }
        return seen.alive() && round - seen.round() < settings.roundsUntilStale();
    }
}
