package io.korvet.cluster;

import io.korvet.store.LifeSigns.Sign;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges from one look at the signs to the next who seems to be dead.
 *
 * <p>Only looks count, never a clock, and only those in a row: after one that failed or came late, all is counted anew. A
 * connection that is gone tells something only to an observer whose own one was there all the time, and only of a broker
 * that it has seen connected since; so a store that drops everybody's connections makes nobody look dead. Not
 * thread-safe.
 */
final class FailureDetector {

    /** Looks in a row at which a broker's connection must be gone and its sign the same. */
    private static final int LOOKS_WITHOUT_CONNECTION = 2;

    /**
     * What a look tells.
     *
     * @param dead who seems to be dead, and why
     * @param news whether members came, went, began anew, were marked, or one's connection has just gone: the registry's
     *     rows are worth a look
     */
    record Judgement(Map<String, Evidence> dead, boolean news) {}

    private final String self;
    private final int looksOfSilence;
    private final Map<String, Watched> watched = new HashMap<>();
    private long attempts;

    FailureDetector(String self, int looksOfSilence) {
        this.self = self;
        this.looksOfSilence = looksOfSilence;
    }

    /** A look failed or came late. */
    void startAnew() {
        watched.values().forEach(Watched::startAnew);
    }

    /**
     * The next look.
     *
     * @param ownAttempts how often the observer's own connection was begun
     */
    Judgement next(Map<String, Sign> signs, long ownAttempts) {
        Sign own = signs.get(self);
        boolean connected = own != null && own.connections() > 0 && ownAttempts == attempts;
        attempts = ownAttempts;
        boolean news = !watched.keySet().equals(signs.keySet());
        watched.keySet().retainAll(signs.keySet());
        Map<String, Evidence> dead = new HashMap<>();
        for (Map.Entry<String, Sign> entry : signs.entrySet()) {
            Watched member = watched.computeIfAbsent(entry.getKey(), key -> new Watched());
            news |= member.see(entry.getValue(), connected);
            Evidence evidence = entry.getKey().equals(self) ? null : member.evidence(looksOfSilence);
            if (evidence != null) {
                dead.put(entry.getKey(), evidence);
            }
        }
        return new Judgement(dead, news);
    }

    private static final class Watched {

        private String text = "";
        private int looksWithSameText;
        private boolean seenConnected;
        private int looksWithoutConnection;

        void startAnew() {
            looksWithSameText = 0;
            observerWasAway();
        }

        private void observerWasAway() {
            seenConnected = false;
            looksWithoutConnection = 0;
        }

        /** Answers whether there is news. */
        boolean see(Sign sign, boolean observerConnected) {
            boolean otherKind = !LifeSign.kind(sign.text()).equals(LifeSign.kind(text));
            boolean renewed = !sign.text().equals(text);
            text = sign.text();
            if (LifeSign.isMark(text)) {
                startAnew();
                return otherKind;
            }
            looksWithSameText = renewed ? 0 : looksWithSameText + 1;
            if (!observerConnected) {
                observerWasAway();
            } else if (sign.connections() > 0) {
                seenConnected = true;
                looksWithoutConnection = 0;
            } else if (seenConnected && renewed && looksWithoutConnection > 0) {
                observerWasAway();
            } else if (seenConnected) {
                looksWithoutConnection++;
            }
            return otherKind || looksWithoutConnection == 1;
        }

        @Nullable
        Evidence evidence(int looksOfSilence) {
            if (looksWithoutConnection >= LOOKS_WITHOUT_CONNECTION) {
                return Evidence.CONNECTION;
            }
            return looksWithSameText >= looksOfSilence ? Evidence.SILENCE : null;
        }
    }
}
