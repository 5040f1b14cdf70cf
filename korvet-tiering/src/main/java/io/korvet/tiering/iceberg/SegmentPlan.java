package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import java.util.List;

/** Where a segment's rows are: slices in the order of ids. Immutable; two plans of one segment are not the same. */
final class SegmentPlan {

    private static final int BYTES_PER_SLICE = 250;

    private final List<Slice> slices;
    private final boolean vouched;

    /**
     * A plan.
     *
     * @param slices the slices, at least one
     * @param vouched whether the order of rows was taken from the file's writer instead of the rows
     */
    SegmentPlan(List<Slice> slices, boolean vouched) {
        this.slices = List.copyOf(slices);
        this.vouched = vouched;
    }

    List<Slice> slices() {
        return slices;
    }

    /** Whether the order of rows was taken from the file's writer instead of the rows. */
    boolean isVouched() {
        return vouched;
    }

    /** About how much memory it takes. */
    long sizeInBytes() {
        return 500L + (long) BYTES_PER_SLICE * slices.size();
    }

    /** The first slice that can have an id at or above this one, the number of slices when there is none. */
    int indexOf(StreamEntryId from) {
        int low = 0;
        int high = slices.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (slices.get(middle).through().compareTo(from) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The first slice that can have a timestamp at or above this one, the number of slices when there is none. */
    int indexOfTimestamp(long timestamp) {
        int index = 0;
        while (index < slices.size() && slices.get(index).largestTimestamp() < timestamp) {
            index++;
        }
        return index;
    }
}
