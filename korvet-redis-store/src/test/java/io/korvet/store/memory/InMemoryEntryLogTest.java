package io.korvet.store.memory;

import io.korvet.store.EntryLogContract;
import io.korvet.store.Store;

class InMemoryEntryLogTest extends EntryLogContract {

    private final InMemoryStore store = new InMemoryStore();

    @Override
    protected Store store() {
        return store;
    }
}
