package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult;
import io.korvet.store.Batches;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.redis.KeySchema;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.iceberg.exceptions.RuntimeIOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A local archive whose directory is away is away: nothing is taken for broken, and nothing is made in its place. */
class LocalOutageIT {

    private static final StreamName ORDERS = new StreamName("orders:0");

    @TempDir
    Path directory;

    private final InMemoryStore store = new InMemoryStore();
    private final AtomicReference<OffloadSeam.Point> awayAt = new AtomicReference<>();
    private Path root;
    private IcebergColdTier tier;

    @BeforeEach
    void open() {
        root = directory.resolve("archive");
        tier = start(1);
        Stages.await(store.entries().create(ORDERS, "first"));
    }

    private IcebergColdTier start(long epoch) {
        IcebergColdTier started = IcebergColdTier.open(
                ArchiveSettings.at("file://" + root),
                new KeySchema("korvet")::log,
                store.entries(),
                (point, segment) -> {
                    if (point == awayAt.get()) {
                        move(root, aside());
                    }
                });
        Stages.await(started.lead(epoch));
        return started;
    }

    @AfterEach
    void close() {
        tier.close();
    }

    private Path aside() {
        return directory.resolve("aside");
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ColdSegment seal(String value) {
        AppendResult appended = Stages.await(store.entries()
                .append(Batches.to(ORDERS, "first")
                        .after(state(), new TimeEncoding(10))
                        .values(store.entries(), value)));
        assertThat(appended).isInstanceOf(AppendResult.Appended.class);
        Stages.await(store.segments().seal(ORDERS, "first", state().open().number(), 9));
        return new ColdSegment(
                ORDERS, "first", state().sealed().get(state().sealed().size() - 1));
    }

    private LogState state() {
        return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
    }

    private OffloadOutcome offload(ColdSegment segment) {
        return Stages.await(tier.offload(segment, OffloadProgress.SILENT)).outcome();
    }

    private void assertAway(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE))
                .hasMessageContaining("the archive's folder " + root + " isn't there");
        assertThat(root).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(
            value = OffloadSeam.Point.class,
            names = {"ASKED", "READ", "WRITTEN"})
    void aDirectoryThatIsMovedAwayWhileASegmentIsCopied(OffloadSeam.Point point) throws IOException {
        assertThat(offload(seal("a"))).isEqualTo(OffloadOutcome.COMMITTED);
        ColdSegment next = seal("b");
        awayAt.set(point);
        assertAway(() -> offload(next));
        awayAt.set(null);
        assertAway(() -> offload(next));
        move(aside(), root);
        assertThat(offload(next)).isEqualTo(OffloadOutcome.COMMITTED);
        try (ArchiveTable archive = ArchiveTable.open(ArchiveSettings.at("file://" + root))) {
            assertThat(ArchiveRows.read(archive.table())).hasSize(2).doesNotHaveDuplicates();
        }
    }

    @Test
    void aDirectoryThatIsAwayHasNoBrokenFiles() {
        ColdSegment segment = seal("a");
        assertThat(offload(segment)).isEqualTo(OffloadOutcome.COMMITTED);
        tier.close();
        tier = start(2);
        move(root, aside());
        assertAway(() -> Stages.await(tier.find(segment)));
        assertAway(() -> Stages.await(tier.read(segment, StreamEntryId.MINIMUM, 10, new RecordingSink())));
        assertAway(() -> Stages.await(tier.removeThrough(ORDERS, "first", 0)));
        move(aside(), root);
        assertThat(Stages.await(tier.find(segment)).outcome()).isEqualTo(OffloadOutcome.COMMITTED);
        Stages.await(tier.removeThrough(ORDERS, "first", 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"No space left on device", "Read-only file system"})
    void theReasonHasTheSystemsWords(String words) {
        Throwable failure = new RuntimeIOException(
                new FileSystemException("/a/m.avro", null, words),
                "Failed to create manifest writer for path: %s",
                "/a/m.avro");
        ColdTierException told = ArchiveFailures.of("copying", failure);
        assertThat(told.kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(told)
                .hasMessageContaining("Failed to create manifest writer")
                .hasMessageContaining(words);
    }
}
