package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdSegment;

/** Places between the steps of an offload, at which a test may end the world. */
interface OffloadSeam {

    /** Nothing happens. */
    OffloadSeam NONE = (point, segment) -> {};

    /** The places. */
    enum Point {
        /** The table doesn't have the segment. */
        ASKED,
        /** All pages are read and encoded. */
        READ,
        /** The file is complete and durable, nobody knows it. */
        WRITTEN,
        /** The commit is over. */
        COMMITTED
    }

    /** An offload comes by. */
    void at(Point point, ColdSegment segment);
}
