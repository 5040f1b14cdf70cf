package io.korvet.tiering.iceberg;

/** The order of ids, without an object per id. */
final class IdOrder {

    private IdOrder() {}

    /** Compares two ids. */
    static int compare(long milliseconds, long sequence, long otherMilliseconds, long otherSequence) {
        int byTime = Long.compare(milliseconds, otherMilliseconds);
        return byTime != 0 ? byTime : Long.compare(sequence, otherSequence);
    }

    /** The rows' indexes in the order of their ids; rows with equal ids keep their order. */
    static int[] of(long[] milliseconds, long[] sequences, int count) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        int[] from = order;
        int[] into = new int[count];
        for (int width = 1; width < count && width > 0; width *= 2) {
            for (int start = 0; start < count; start = (int) Math.min(count, start + 2L * width)) {
                int middle = (int) Math.min(count, (long) start + width);
                int end = (int) Math.min(count, start + 2L * width);
                merge(from, into, start, middle, end, milliseconds, sequences);
            }
            int[] swapped = from;
            from = into;
            into = swapped;
        }
        return from;
    }

    private static void merge(
            int[] from, int[] into, int start, int middle, int end, long[] milliseconds, long[] sequences) {
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean takeLeft = left < middle
                    && (right >= end
                            || milliseconds[from[left]] < milliseconds[from[right]]
                            || (milliseconds[from[left]] == milliseconds[from[right]]
                                    && sequences[from[left]] <= sequences[from[right]]));
            into[i] = takeLeft ? from[left++] : from[right++];
        }
    }
}
