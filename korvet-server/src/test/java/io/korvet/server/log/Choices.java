package io.korvet.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Decides what happens next in a simulated run. */
interface Choices {

    /** The index of the next of so many possible steps, -1 when no more are to be chosen. */
    int next(int options);

    /** Steps at random. */
    static Choices random(long seed, int steps) {
        Random random = new Random(seed);
        int[] left = {steps};
        return options -> left[0]-- <= 0 ? -1 : random.nextInt(options);
    }

    /** All sequences of so many steps, one after the other, depth first. */
    final class All implements Choices {
        private record Choice(int chosen, int options) {}

        private final int depth;
        private final List<Choice> path = new ArrayList<>();
        private int at;

        All(int depth) {
            this.depth = depth;
        }

        @Override
        public int next(int options) {
            if (at == depth) {
                return -1;
            }
            if (at == path.size()) {
                path.add(new Choice(0, options));
            }
            Choice choice = path.get(at++);
            if (choice.options != options) {
                throw new AssertionError("a run did not repeat itself: " + options + " options, before " + choice);
            }
            return choice.chosen;
        }

        /** Goes on to the next sequence; false when there is none. */
        boolean advance() {
            while (path.size() > at) {
                path.remove(path.size() - 1);
            }
            at = 0;
            while (!path.isEmpty()) {
                Choice last = path.remove(path.size() - 1);
                if (last.chosen + 1 < last.options) {
                    path.add(new Choice(last.chosen + 1, last.options));
                    return true;
                }
            }
            return false;
        }
    }
}
