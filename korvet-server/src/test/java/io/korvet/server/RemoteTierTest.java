package io.korvet.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.server.config.KorvetConfig;
import io.korvet.server.config.RemoteConfig;
import io.korvet.server.metrics.BrokerMeters;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdTier;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ArchiveSettings;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RemoteTierTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final BrokerMeters meters = new BrokerMeters();
    private final Observers observers = new Observers(meters);
    private final RemoteConfig config = KorvetConfig.of(Map.of(
                    "storage.remote.path", "s3://bucket/korvet",
                    "storage.remote.s3.region", "eu-west-1",
                    "storage.remote.s3.access-key-id", "id",
                    "storage.remote.s3.secret-access-key", "hush",
                    "storage.remote.iceberg.row-group-size", "1MB",
                    "storage.remote.iceberg.catalog.type", "rest",
                    "storage.remote.read-threads", "3"))
            .storage()
            .remote();

    @AfterEach
    void close() {
        meters.close();
    }

    @Test
    void theConfigurationBecomesSettings() {
        ArchiveSettings defaults = ArchiveSettings.at("s3://bucket/korvet");

        assertThat(RemoteTier.settings(config))
                .isEqualTo(new ArchiveSettings(
                        "s3://bucket/korvet",
                        new ArchiveSettings.S3("eu-west-1", null, false, "id", "hush"),
                        1 << 20,
                        defaults.targetFileBytes(),
                        Map.of("type", "rest"),
                        defaults.callTimeout(),
                        defaults.readCacheBytes(),
                        3,
                        defaults.readPercent(),
                        defaults.snapshotAge(),
                        defaults.orphanAge()));
        assertThat(RemoteTier.settings(KorvetConfig.of(Map.of("storage.remote.path", "s3://bucket"))
                        .storage()
                        .remote()))
                .isEqualTo(ArchiveSettings.at("s3://bucket"));
    }

    @Test
    void aTierThatRefusesStopsTheStartWithItsReason() {
        try (RemoteTier remote = new RemoteTier(config, settings -> fails(Kind.REFUSED, "no such bucket"), observers)) {
            assertThatThrownBy(() -> remote.open(PATIENCE))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("korvet.storage.remote.path = s3://bucket/korvet")
                    .hasMessageContaining("no such bucket");
        }
        assertThat(meters.scrape()).contains("korvet_storage_archive_failures_total{error_type=\"refused\"} 1.0");
    }

    @Test
    void aTierThatIsAwayStopsNothingAndIsShown() {
        try (RemoteTier remote =
                new RemoteTier(config, settings -> fails(Kind.UNAVAILABLE, "connection refused"), observers)) {
            remote.open(PATIENCE);
            assertThat(remote.description()).isEqualTo("s3://bucket/korvet: connection refused");
            assertThat(remote.tier().removeLog(new StreamName("orders:0"), "first"))
                    .isCompletedExceptionally();
        }
    }

    @Test
    void aTierThatNeverAnswersIsNotWaitedForLongerThanSaid() {
        CountDownLatch never = new CountDownLatch(1);
        try (RemoteTier remote = new RemoteTier(config, settings -> hangs(never), observers)) {
            remote.open(Duration.ofMillis(20));
            assertThat(remote.description()).contains("has not been opened yet");
        }
    }

    private static ColdTier fails(Kind kind, String message) {
        throw new ColdTierException(kind, message);
    }

    private static ColdTier hangs(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new ColdTierException(Kind.UNAVAILABLE, "ended");
    }
}
