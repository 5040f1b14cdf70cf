package io.korvet.tiering.iceberg;

import org.apache.iceberg.exceptions.CleanableFailure;

/** A commit that was refused before it was tried, because a later leader has written to the table. */
final class FencedCommitException extends RuntimeException implements CleanableFailure {

    FencedCommitException(long own, long found) {
        super("the archive is led with epoch " + found + " by now, this process led with " + own
                + ": nothing was committed");
    }
}
