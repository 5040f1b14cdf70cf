package io.korvet.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.store.Stages;
import io.korvet.store.StoreException;
import io.korvet.store.StoreNotReadyException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What opening a store says of a Redis that is not there, won't have us, or is there and not ready yet. */
class RedisStartIT {

    private static StoreException failure(RedisStoreOptions options) {
        return Stages.failure(RedisStore.open(options.withCommandTimeout(Duration.ofSeconds(2))));
    }

    private static void assertRefused(RedisStoreOptions options, String... said) {
        assertThat(failure(options))
                .isNotInstanceOf(StoreNotReadyException.class)
                .message()
                .startsWith("Redis at ")
                .contains(said)
                .doesNotContain("hush", "..");
    }

    private static void assertNotReady(RedisStoreOptions options, String... said) {
        assertThat(failure(options))
                .isInstanceOf(StoreNotReadyException.class)
                .message()
                .startsWith("Redis at ")
                .contains(said)
                .doesNotContain("hush", "..");
    }

    private static void awaitReady(RedisStoreOptions options) {
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptionsInstanceOf(StoreNotReadyException.class)
                .untilAsserted(() -> Stages.await(RedisStore.open(options)).close());
    }

    private static RedisStoreOptions withSentinels(String uri, String password) {
        RedisStoreOptions options = RedisStoreOptions.of(uri);
        return new RedisStoreOptions(
                uri,
                options.topology(),
                password,
                options.namespace(),
                options.commandTimeout(),
                options.ioThreads(),
                options.maxPendingCalls());
    }

    @Test
    void aServerThatIsNotThereOrOfAnotherKindOrWithAnotherPasswordRefuses() {
        String gone;
        try (RedisServerProcess server = RedisServerProcess.start("--requirepass", "right")) {
            String address = "127.0.0.1:" + server.port();
            gone = address;
            assertRefused(RedisStoreOptions.of("redis://:hush@" + address), address, "WRONGPASS");
            assertRefused(RedisStoreOptions.of(server.uri()), address, "NOAUTH");
            assertRefused(
                    RedisStoreOptions.ofCluster("redis://:right@" + address), address, "cluster support disabled");
            assertRefused(RedisStoreOptions.of("rediss://:hush@" + address), address);
        }
        assertRefused(RedisStoreOptions.of("redis://:hush@" + gone), "Connection refused: /" + gone);
        assertRefused(RedisStoreOptions.ofCluster("redis://:hush@" + gone), "Connection refused: /" + gone);
        assertRefused(RedisStoreOptions.of("redis-sentinel://" + gone + "/0#m"), "Connection refused: /" + gone);
        assertRefused(RedisStoreOptions.of("redis://no-such-host.invalid:6379"), "no-such-host.invalid");
    }

    @Test
    void aServerThatLoadsItsDataIsNotReady() {
        try (RedisServerProcess server = RedisServerProcess.start("--appendonly", "yes", "--key-load-delay", "200")) {
            server.command("EVAL", "for i = 1, 20000 do redis.call('SET', i, i) end", "0");
            server.restart();
            assertNotReady(RedisStoreOptions.of(server.uri()), "LOADING");
            awaitReady(RedisStoreOptions.of(server.uri()));
        }
    }

    @Test
    void aMasterThatSentinelsNameAndIsAwayIsNotReadyUntilAnotherIsChosen() {
        try (SentinelProcesses servers = SentinelProcesses.withPasswords(1, "hush-1", "hush-2")) {
            String uri = servers.uri().replace("//", "//:hush-1@");
            Stages.await(RedisStore.open(withSentinels(uri, "hush-2"))).close();
            assertRefused(withSentinels(uri, "hush-3"), "WRONGPASS");
            assertRefused(withSentinels(servers.uri().replace("//", "//:hush-3@"), "hush-2"), "WRONGPASS");
            assertRefused(withSentinels(uri + "-other", "hush-2"), SentinelProcesses.MASTER + "-other");
            servers.downAfter(Duration.ofMinutes(10));
            RedisServerProcess master = servers.master();
            master.pause();
            assertNotReady(withSentinels(uri, "hush-2"), "timed out");
            master.resume();
            master.kill();
            assertNotReady(withSentinels(uri, "hush-2"), "Connection refused: /127.0.0.1:" + master.port());
            servers.downAfter(Duration.ofMillis(500));
            awaitReady(withSentinels(uri, "hush-2"));
        }
    }

    @Test
    void aClusterIsNotReadyUntilAllItsSlotsAreServed() {
        try (RedisClusterProcesses cluster = new RedisClusterProcesses(3, 0)) {
            RedisStoreOptions options = RedisStoreOptions.ofCluster(cluster.uri());
            assertRefused(RedisStoreOptions.ofCluster(cluster.uri().replace("//", "//:hush@")), "without any password");
            RedisServerProcess master = cluster.nodes().get(2);
            master.kill();
            assertNotReady(options, "Connection refused: /127.0.0.1:" + master.port());
            master.restart();
            awaitReady(options);
            cluster.nodes().get(0).command("CLUSTER", "DELSLOTS", "0");
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertNotReady(options, "not all slots of the cluster are served"));
            cluster.nodes().get(0).command("CLUSTER", "ADDSLOTS", "0");
            awaitReady(options);
        }
    }
}
