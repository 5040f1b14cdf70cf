package io.korvet.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Those that wait for something of a group; told {@link GroupError#NONE} when it is there. Not thread-safe. */
final class Waiting {

    private List<Consumer<GroupError>> tasks = new ArrayList<>();
    private boolean ending;

    /** Whether nobody waits, nor is just being told. */
    boolean isEmpty() {
        return tasks.isEmpty() && !ending;
    }

    int size() {
        return tasks.size();
    }

    void add(Consumer<GroupError> task) {
        tasks.add(task);
    }

    void end(GroupError outcome) {
        List<Consumer<GroupError>> ended = tasks;
        tasks = new ArrayList<>();
        ending = true;
        ended.forEach(task -> task.accept(outcome));
        ending = false;
    }
}
