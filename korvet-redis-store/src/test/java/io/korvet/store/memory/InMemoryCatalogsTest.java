package io.korvet.store.memory;

import io.korvet.store.CatalogsContract;
import io.korvet.store.Store;

class InMemoryCatalogsTest extends CatalogsContract {

    private final InMemoryStore store = new InMemoryStore();

    @Override
    protected Store store() {
        return store;
    }
}
