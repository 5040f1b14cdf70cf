package io.korvet.store.memory;

import io.korvet.store.SegmentCatalogContract;
import io.korvet.store.Store;

class InMemorySegmentCatalogTest extends SegmentCatalogContract {

    private final InMemoryStore store = new InMemoryStore();

    @Override
    protected Store store() {
        return store;
    }
}
