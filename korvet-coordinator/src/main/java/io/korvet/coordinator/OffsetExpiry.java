package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets.Position;
import java.util.Collection;

/** Decides whether a group's positions have been kept long enough. */
final class OffsetExpiry {

    /** No member has been seen. */
    static final long NEVER = Long.MIN_VALUE;

    private OffsetExpiry() {}

    /**
     * Whether all positions of a group without members may be forgotten: when neither a member nor a commit has been seen
     * for as long as positions are kept. A partition nobody commits for is kept as long as the group shows another sign of
     * life. Since a group's members may not have been stored, a group must also have been watched long enough for any living
     * member to have spoken. All times are of the wall clock.
     *
     * @param positions all positions of the group
     * @param lastMember when the last member left, {@link #NEVER} when none has been seen
     * @param watchedSince since when this coordinator would know of members
     */
    static boolean isDue(
            Collection<Position> positions, long lastMember, long watchedSince, long now, GroupSettings settings) {
        if (now - watchedSince < settings.maxSessionTimeout()) {
            return false;
        }
        long lastSign = lastMember;
        for (Position position : positions) {
            lastSign = Math.max(lastSign, position.commitMilliseconds());
        }
        return lastSign != NEVER && now - lastSign >= settings.offsetsRetention();
    }
}
