package io.korvet.cluster;

/**
 * The text of a sign of life (docs/redis-keys.md): {@code alive <start> <count>}, or, as a mark that another broker has
 * left, {@code dead <by> <heartbeat>}. The mark is about the row with that heartbeat: a later row is life.
 */
final class LifeSign {

    private static final String DEAD = "dead ";

    private LifeSign() {}

    static String alive(String start, long count) {
        return "alive " + start + " " + count;
    }

    static String dead(int by, long heartbeatMilliseconds) {
        return DEAD + by + " " + heartbeatMilliseconds;
    }

    static boolean isMark(String text) {
        return text.startsWith(DEAD);
    }

    /** Whether a sign says that the broker with this row is dead. */
    static boolean declaresDead(String text, long heartbeatMilliseconds) {
        return isMark(text) && text.endsWith(" " + heartbeatMilliseconds);
    }

    /** What doesn't change from one sign of a process to its next. */
    static String kind(String text) {
        int last = text.lastIndexOf(' ');
        return last < 0 || isMark(text) ? text : text.substring(0, last);
    }
}
