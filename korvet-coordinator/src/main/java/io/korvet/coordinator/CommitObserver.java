package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.Map;

/** Is told of positions after they were stored and the committer was answered; must return quickly and not throw. */
@FunctionalInterface
public interface CommitObserver {

    /** These positions of the group are in the store. */
    void committed(String group, Map<CommittedOffsets.Key, Position> positions);
}
