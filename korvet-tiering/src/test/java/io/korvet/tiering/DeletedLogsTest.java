package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.tiering.DeletedLogs.Incarnation;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeletedLogsTest {

    private static final StreamName ORDERS = new StreamName("orders:0");

    private final InMemoryStore store = new InMemoryStore();
    private final DeletedLogs deleted = new DeletedLogs(store.removals());

    @Test
    void everyIncarnationIsNotedOnceAndCrossedOutAlone() {
        Stages.await(deleted.note(ORDERS, "first"));
        Stages.await(deleted.note(ORDERS, "second"));
        Stages.await(deleted.note(ORDERS, "first"));
        Stages.await(deleted.note(new StreamName("bills:1"), "third"));
        assertThat(Stages.await(store.removals().rows()))
                .isEqualTo(Map.of("orders:0", "first second", "bills:1", "third"));
        assertThat(Stages.await(deleted.all())).hasSize(3).contains(new Incarnation(ORDERS, "second"));
        Stages.await(deleted.forget(new Incarnation(ORDERS, "first")));
        Stages.await(deleted.forget(new Incarnation(ORDERS, "first")));
        assertThat(Stages.await(store.removals().rows())).containsEntry("orders:0", "second");
        Stages.await(deleted.forget(new Incarnation(ORDERS, "second")));
        Stages.await(deleted.forget(new Incarnation(new StreamName("bills:1"), "third")));
        assertThat(Stages.await(store.removals().rows())).isEmpty();
        assertThat(Stages.await(deleted.all())).isEmpty();
    }
}
