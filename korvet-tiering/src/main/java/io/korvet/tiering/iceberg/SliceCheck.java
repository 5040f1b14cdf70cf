package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.tiering.ColdSegment;
import org.jspecify.annotations.Nullable;

/** Compares decoded rows with what the plan and the store's catalog say of them. */
final class SliceCheck {

    private SliceCheck() {}

    /** What is wrong with a slice's rows, {@code null} for nothing. */
    static @Nullable String wrong(ColdSegment segment, SegmentPlan plan, int index, Block block) {
        Slice slice = plan.slices().get(index);
        if (block.count() != slice.rows() || block.count() == 0) {
            return block.count() + " rows through id " + slice.through() + ": expected " + slice.rows();
        }
        int disorder = block.firstOutOfOrder();
        if (disorder > 0) {
            return "id " + block.id(disorder) + " comes after " + block.id(disorder - 1)
                    + ": expected each id once, in order";
        }
        StreamEntryId first = block.id(0);
        StreamEntryId last = block.id(block.count() - 1);
        if (last.compareTo(slice.through()) > 0) {
            return "id " + last + ": expected none above " + slice.through();
        }
        if (index == 0 && !segment.beginsWith(first)) {
            return "the first id is " + first + ": expected "
                    + segment.segment().first();
        }
        if (index == plan.slices().size() - 1 && !segment.endsWith(last)) {
            return "the last id is " + last + ": expected " + segment.segment().last();
        }
        return null;
    }
}
