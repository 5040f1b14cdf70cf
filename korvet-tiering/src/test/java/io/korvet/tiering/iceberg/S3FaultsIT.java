package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.FaultProxy;
import io.korvet.tiering.FaultProxy.Fault;
import io.korvet.tiering.FaultProxy.Request;
import io.korvet.tiering.S3Server;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What networks and object stores do to commits, and what is made of wrong settings. */
class S3FaultsIT {

    private static final String STREAM = "korvet:storage:local:{orders:0}";
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(4);

    private static S3Server server;

    private final String bucket = "faults-" + UUID.randomUUID();
    private FaultProxy proxy;
    private ArchiveTable archive;

    @BeforeAll
    static void start() {
        server = S3Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.createBucket(bucket);
        proxy = FaultProxy.before(server.endpoint());
        archive = ArchiveTable.open(settings());
    }

    @AfterEach
    void close() {
        archive.close();
        proxy.close();
    }

    private ArchiveSettings settings() {
        return S3Server.archive("s3://" + bucket + "/korvet", proxy.endpoint(), CALL_TIMEOUT);
    }

    private static Predicate<Request> put(String end) {
        return request -> request.method().equals("PUT") && request.target().contains(end);
    }

    private static Predicate<Request> get(String end) {
        return request -> request.method().equals("GET") && request.target().contains(end);
    }

    private int rows() {
        try (ArchiveTable fresh = ArchiveTable.open(server.archive(bucket))) {
            return ArchiveRows.read(fresh.table()).size();
        }
    }

    private static void hasKind(Kind kind, ThrowingCallable act, String... words) {
        assertThatThrownBy(act).isInstanceOfSatisfying(ColdTierException.class, failure -> {
            assertThat(failure.kind()).as(failure.toString()).isEqualTo(kind);
            assertThat(failure).hasMessageContainingAll(words);
        });
    }

    @Test
    void aLostAnswerToTheCommitIsSettledAndCommittedOnce() {
        proxy.inject(Fault.LOST_ANSWER, 1, put("v2.metadata.json"));
        assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(CommitOutcome.COMMITTED);
        assertThat(rows()).isEqualTo(10);
        assertThat(archive.table().history()).hasSize(1);
    }

    @Test
    void errorsThatPassAreTriedAgain() {
        proxy.inject(Fault.UNAVAILABLE, 2, request -> request.method().equals("PUT"));
        proxy.inject(Fault.RESET, 2, request -> request.method().equals("GET"));
        proxy.inject(Fault.UNAVAILABLE, 1, request -> request.method().equals("HEAD"));
        assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(CommitOutcome.COMMITTED);
        assertThat(rows()).isEqualTo(10);
    }

    @Test
    void aCommitThatCantBeReadBackIsUnknownAndItsFileStays() {
        proxy.inject(Fault.LOST_ANSWER, 100, put("v2.metadata.json"));
        proxy.inject(Fault.UNAVAILABLE, 100, get("v2.metadata.json"));
        assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(CommitOutcome.UNKNOWN);
        proxy.clear();
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(10);
    }

    @Test
    void aCommitThatMayStillArriveIsUnknown() {
        proxy.inject(Fault.HELD, 100, put("v2.metadata.json"));
        assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(CommitOutcome.UNKNOWN);
        assertThat(rows()).isZero();
        proxy.clear();
        assertThat(proxy.release()).isPositive();
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(10);
    }

    @Test
    void aSlowStoreIsWaitedFor() {
        proxy.delay(CALL_TIMEOUT.dividedBy(8), 20, request -> true);
        assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(CommitOutcome.COMMITTED);
        assertThat(rows()).isEqualTo(10);
    }

    @Test
    void aStoreThatNeverAnswersIsSurvived() {
        proxy.inject(Fault.HANG, 1000, request -> true);
        Instant begin = Instant.now();
        hasKind(Kind.UNAVAILABLE, archive::refresh, "looking at the archive's table", bucket);
        assertThat(Duration.between(begin, Instant.now())).isLessThan(CALL_TIMEOUT.multipliedBy(2));
        proxy.clear();
        assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(CommitOutcome.COMMITTED);
    }

    @Test
    void openingAStoreThatNeverAnswersEndsInTime() {
        proxy.inject(Fault.HANG, 1000, request -> true);
        Instant begin = Instant.now();
        hasKind(Kind.UNAVAILABLE, () -> ArchiveTable.open(settings()), "korvet.storage.remote.path", bucket);
        assertThat(Duration.between(begin, Instant.now())).isLessThan(CALL_TIMEOUT.multipliedBy(2));
    }

    @Test
    void aStoreThatIsNotThereIsUnavailable() {
        FaultProxy gone = FaultProxy.before(server.endpoint());
        gone.close();
        hasKind(
                Kind.UNAVAILABLE,
                () -> ArchiveTable.open(S3Server.archive("s3://" + bucket + "/korvet", gone.endpoint(), CALL_TIMEOUT)),
                "korvet.storage.remote.path",
                bucket,
                "korvet.storage.remote.s3.endpoint");
    }

    @Test
    void aBucketThatIsNotThereIsRefused() {
        hasKind(
                Kind.REFUSED,
                () -> ArchiveTable.open(server.archive("no-such-bucket")),
                "s3://no-such-bucket/korvet",
                "expected an existing bucket");
    }

    @Test
    void aWrongKeyIsRefused() {
        hasKind(
                Kind.REFUSED,
                () -> ArchiveTable.open(TestSettings.withS3(
                        server.archive(bucket),
                        new ArchiveSettings.S3(
                                S3Server.REGION, server.endpoint().toString(), true, S3Server.ACCESS_KEY, "wrong"))),
                "403",
                "expected credentials that may");
        hasKind(
                Kind.REFUSED,
                () -> ArchiveTable.open(TestSettings.withS3(
                        server.archive(bucket),
                        new ArchiveSettings.S3(
                                S3Server.REGION, server.endpoint().toString(), true, "wrong", "wrong"))),
                "403",
                "expected credentials that may");
    }

    @Test
    void noRegionIsRefused() {
        hasKind(
                Kind.REFUSED,
                () -> ArchiveTable.open(TestSettings.withS3(
                        server.archive(bucket),
                        new ArchiveSettings.S3(
                                null, server.endpoint().toString(), true, S3Server.ACCESS_KEY, S3Server.SECRET_KEY))),
                "opening the archive at korvet.storage.remote.path 's3://" + bucket
                        + "/korvet': no region is set; expected korvet.storage.remote.s3.region");
    }

    @Test
    void halfAKeyAndAnEndpointThatIsNoneAreRefused() {
        hasKind(
                Kind.REFUSED,
                () -> ArchiveTable.open(TestSettings.withS3(
                        server.archive(bucket),
                        new ArchiveSettings.S3(
                                S3Server.REGION, server.endpoint().toString(), true, "korvet", null))),
                "korvet.storage.remote.s3.secret-access-key");
        hasKind(
                Kind.REFUSED,
                () -> ArchiveTable.open(TestSettings.withS3(
                        server.archive(bucket),
                        new ArchiveSettings.S3(S3Server.REGION, "localhost:9000", true, "korvet", "secret"))),
                "korvet.storage.remote.s3.endpoint",
                "localhost:9000",
                "http://");
    }

    @Test
    void aLargeFileGoesInParts() {
        assertThat(ArchiveRows.writeIncompressible(archive, STREAM, 0, 20).fileSizeInBytes())
                .isGreaterThan(16 << 20);
        assertThat(proxy.requests()).anyMatch(put("partNumber=2"));
    }
}
