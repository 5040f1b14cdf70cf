package io.korvet.store.redis;

import io.korvet.store.CatalogsContract;
import io.korvet.store.Store;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("io.korvet.store.redis.SharedRedis#all")
class RedisCatalogsIT extends CatalogsContract {

    @Parameter
    SharedRedis redis = SharedRedis.preferred();

    private final java.util.List<RedisStore> opened = new java.util.ArrayList<>();

    @Override
    protected Store store() {
        if (opened.isEmpty()) {
            opened.add(redis.openStore());
        }
        return opened.get(0);
    }

    @AfterEach
    void close() {
        opened.forEach(RedisStore::close);
    }
}
