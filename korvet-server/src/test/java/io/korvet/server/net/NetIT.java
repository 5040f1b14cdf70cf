package io.korvet.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.korvet.protocol.ApiCatalog;
import io.korvet.protocol.RequestCodec;
import io.korvet.protocol.records.BufferRecords;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.Dispatcher;
import io.korvet.server.dispatch.HandlerTable;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.dispatch.RequestObserver;
import io.korvet.server.handler.ApiVersionsHandler;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The listener on real sockets, with clients as bad as they get. */
class NetIT {

    private static final int FETCH_BYTES = 256 << 10;

    private final Queue<CompletableFuture<@Nullable ProduceResponseData>> produces = new ConcurrentLinkedQueue<>();
    private final AtomicInteger fetches = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger paused = new AtomicInteger();
    private final EventLoops eventLoops = new EventLoops(1, 2);
    private final NetOptions options = new NetOptions(1 << 20, 300_000, 100_000, 16, 1 << 20, Duration.ofMinutes(10));
    private final InFlightBudget budget = new InFlightBudget(options);
    private KafkaListener listener = listener(options);
    private int port;

    @BeforeEach
    void start() {
        port = start(listener);
    }

    @AfterEach
    void stop() {
        produces.forEach(produce -> produce.complete(new ProduceResponseData()));
        listener.stop(Duration.ofSeconds(1)).toCompletableFuture().join();
        await().until(() -> connections.get() == 0);
        assertThat(budget.pendingBytes()).isZero();
        assertThat(paused).hasValue(0);
        eventLoops.stop().toCompletableFuture().join();
    }

    @Test
    void lengthsThatCanNotBeAndOtherProtocolsCloseTheConnection() throws IOException {
        List<byte[]> openings = List.of(
                new byte[] {0x7f, -1, -1, -1, 0, 1, 2},
                new byte[] {-1, -1, -1, -1},
                "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc, 0x03, 0x03});
        for (byte[] opening : openings) {
            try (RawClient client = new RawClient(port)) {
                client.send(opening);
                assertThat(client.isClosedByPeer()).isTrue();
            }
        }
        isWell();
    }

    @Test
    void garbageIsSurvived() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < 100; run++) {
            byte[] garbage = new byte[200];
            random.nextBytes(garbage);
            ByteBuffer.wrap(garbage).putInt(0, 100).putShort(4, (short) random.nextInt(80));
            try (RawClient client = new RawClient(port)) {
                client.send(garbage);
            }
        }
        isWell();
    }

    @Test
    void unknownApisAndVersionsCloseTheConnection() throws IOException {
        for (short[] keyAndVersion : new short[][] {{999, 0}, {ApiKeys.VOTE.id, 0}, {0, 2}, {0, 14}, {1, 99}}) {
            try (RawClient client = new RawClient(port)) {
                client.send(ByteBuffer.allocate(14)
                        .putInt(10)
                        .putShort(keyAndVersion[0])
                        .putShort(keyAndVersion[1])
                        .putInt(5)
                        .putShort((short) -1)
                        .array());
                assertThat(client.isClosedByPeer()).isTrue();
            }
        }
        isWell();
    }

    @Test
    void apiVersionsAboveOursIsAnsweredAndTheConnectionGoesOn() throws IOException {
        try (RawClient client = new RawClient(port)) {
            byte[] request = apiVersions(5);
            ByteBuffer.wrap(request).putShort(6, (short) 9);
            client.send(request);
            ByteBuffer response = client.receive();
            assertThat(response.getInt()).isEqualTo(5);
            ApiVersionsResponseData body = new ApiVersionsResponseData(new ByteBufferAccessor(response), (short) 0);
            assertThat(body.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            assertThat(body.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion())
                    .isEqualTo((short) 4);

            client.send(apiVersions(6));
            assertThat(client.receive().getInt()).isEqualTo(6);
        }
    }

    @Test
    void aRequestMayComeByteByByte() throws IOException {
        try (RawClient client = new RawClient(port)) {
            for (byte b : apiVersions(3)) {
                client.send(b);
            }
            assertThat(client.receive().getInt()).isEqualTo(3);
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInTheirOrder() throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(produce(1, 1, 10));
            client.send(apiVersions(2));
            client.send(produce(3, 0, 10));
            client.send(produce(4, 1, 10));
            client.send(apiVersions(5));
            await().until(() -> produces.size() == 3);
            List<CompletableFuture<@Nullable ProduceResponseData>> started = List.copyOf(produces);
            started.get(2).complete(new ProduceResponseData());
            started.get(1).complete(null);
            started.get(0).complete(new ProduceResponseData());
            for (int expected : new int[] {1, 2, 4, 5}) {
                assertThat(client.receive().getInt()).isEqualTo(expected);
            }
        }
    }

    @Test
    void aFailedProduceWithoutAcknowledgementClosesTheConnection() throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(produce(1, 0, 10));
            await().until(() -> produces.size() == 1);
            produces.remove().completeExceptionally(Errors.NOT_LEADER_OR_FOLLOWER.exception());
            assertThat(client.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void aClientThatVanishesLeavesNothingBehind() throws IOException {
        for (int run = 0; run < 20; run++) {
            RawClient client = new RawClient(port);
            client.send(produce(1, 1, 10_000));
            client.send(Arrays.copyOf(produce(2, 1, 10_000), 5_000));
            client.vanish();
        }
        await().until(() -> connections.get() == 0);
        produces.forEach(produce -> produce.complete(new ProduceResponseData()));
        await().until(() -> budget.pendingBytes() == 0);
        isWell();
    }

    @Test
    void aClientThatNeverReadsIsNoLongerReadAndOthersAre() throws IOException {
        try (RawClient deaf = new RawClient(port)) {
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < 20_000; i++) {
                        deaf.send(RawClient.request(ApiKeys.FETCH, (short) 12, i, new FetchRequestData()));
                    }
                } catch (IOException closed) {
                    // The test is over.
                }
            });
            sender.start();
            await().until(() -> paused.get() == 1);
            isWell();
            // The socket's buffers, the high-water mark, and what one read brought in.
            assertThat(fetches.get() * (long) FETCH_BYTES).isLessThan(1L << 29);
            int before = fetches.get();
            isWell();
            assertThat(fetches.get()).isEqualTo(before);
            deaf.vanish();
        }
    }

    @Test
    void tooManyPendingBytesStopTheReadingOfAllUntilThereIsRoom() throws IOException {
        try (RawClient one = new RawClient(port);
                RawClient other = new RawClient(port)) {
            one.send(produce(1, 1, 200_000));
            one.send(produce(2, 1, 200_000));
            await().until(() -> produces.size() == 2 && paused.get() == 2);
            other.send(apiVersions(3));
            one.send(produce(4, 1, 10));
            produces.remove().complete(new ProduceResponseData());
            assertThat(one.receive().getInt()).isEqualTo(1);
            assertThat(budget.pendingBytes()).isGreaterThan(100_000);
            assertThat(produces).hasSize(1);

            produces.remove().complete(new ProduceResponseData());
            assertThat(other.receive().getInt()).isEqualTo(3);
            assertThat(one.receive().getInt()).isEqualTo(2);
            await().until(() -> produces.size() == 1);
        }
    }

    @Test
    void oneConnectionHasOnlySoManyPendingRequests() throws IOException {
        try (RawClient client = new RawClient(port)) {
            for (int i = 0; i < 50; i++) {
                client.send(produce(i, 1, 10));
            }
            await().until(() -> produces.size() == 16 && paused.get() == 1);
            for (int i = 0; i < 50; i++) {
                await().until(() -> !produces.isEmpty());
                assertThat(produces).hasSizeLessThanOrEqualTo(16);
                produces.remove().complete(new ProduceResponseData());
                assertThat(client.receive().getInt()).isEqualTo(i);
            }
        }
    }

    @Test
    void anIdleConnectionIsClosedAndOneThatWaitsIsNot() throws IOException {
        KafkaListener impatient = listener(options.withMaxIdle(Duration.ofMillis(200)));
        int impatientPort = start(impatient);
        try (RawClient waiting = new RawClient(impatientPort);
                RawClient idle = new RawClient(impatientPort)) {
            waiting.send(produce(1, 1, 10));
            idle.send(apiVersions(1));
            idle.receive();
            assertThat(idle.isClosedByPeer()).isTrue();
            produces.remove().complete(new ProduceResponseData());
            assertThat(waiting.receive().getInt()).isEqualTo(1);
        } finally {
            impatient.stop(Duration.ZERO).toCompletableFuture().join();
        }
    }

    @Test
    void stoppingAnswersWhatIsInFlightAndEndsWhatTakesTooLong() throws IOException {
        try (RawClient quick = new RawClient(port);
                RawClient slow = new RawClient(port)) {
            quick.send(produce(1, 1, 10));
            await().until(() -> produces.size() == 1);
            slow.send(produce(2, 1, 10));
            await().until(() -> produces.size() == 2);
            CompletableFuture<Void> stopped =
                    listener.stop(Duration.ofSeconds(2)).toCompletableFuture();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> new RawClient(port).receive());
            produces.remove().complete(new ProduceResponseData());
            assertThat(quick.receive().getInt()).isEqualTo(1);
            assertThat(quick.isClosedByPeer()).isTrue();
            assertThat(stopped).isNotDone();
            assertThat(slow.isClosedByPeer()).isTrue();
            stopped.join();
        }
    }

    @Test
    void aPortThatIsTakenFailsTheStart() {
        KafkaListener second = new KafkaListener(
                "second",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                eventLoops,
                options,
                budget,
                dispatcher(),
                RequestObserver.NONE);
        assertThat(second.start().toCompletableFuture())
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withRootCauseInstanceOf(IOException.class);
    }

    private void isWell() throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(apiVersions(1));
            assertThat(client.receive().getInt()).isEqualTo(1);
        }
    }

    private static byte[] apiVersions(int correlationId) {
        return RawClient.request(
                ApiKeys.API_VERSIONS,
                (short) 3,
                correlationId,
                new ApiVersionsRequestData().setClientSoftwareName("raw").setClientSoftwareVersion("1"));
    }

    private static byte[] produce(int correlationId, int acks, int valueBytes) {
        ProduceRequestData produce = new ProduceRequestData().setAcks((short) acks);
        produce.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName("orders")
                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                .setRecords(MemoryRecords.withRecords(
                                        Compression.NONE, new SimpleRecord(1, new byte[valueBytes]))))));
        return RawClient.request(ApiKeys.PRODUCE, (short) 9, correlationId, produce);
    }

    private static int start(KafkaListener listener) {
        return listener.start().toCompletableFuture().join();
    }

    private KafkaListener listener(NetOptions options) {
        RequestObserver observer = new RequestObserver() {
            @Override
            public void connectionOpened(String name) {
                connections.incrementAndGet();
            }

            @Override
            public void connectionClosed(String name) {
                connections.decrementAndGet();
            }

            @Override
            public void backpressure(String name, Backpressure change) {
                paused.addAndGet(change == Backpressure.PAUSED ? 1 : -1);
            }
        };
        return new KafkaListener(
                "broker",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                eventLoops,
                options,
                budget,
                dispatcher(),
                observer);
    }

    private Dispatcher dispatcher() {
        ApiCatalog catalog = ApiCatalog.SERVED.only(Set.of(ApiKeys.PRODUCE, ApiKeys.FETCH, ApiKeys.API_VERSIONS));
        return new Dispatcher(
                new RequestCodec(catalog),
                new HandlerTable(catalog, List.of(new ApiVersionsHandler(catalog), new SlowProduce(), new FullFetch())),
                RequestObserver.NONE,
                PooledByteBufAllocator.DEFAULT,
                System::nanoTime);
    }

    /** Answers when the test says so. */
    private final class SlowProduce implements ApiHandler<ProduceRequestData, ProduceResponseData> {

        @Override
        public ApiKeys key() {
            return ApiKeys.PRODUCE;
        }

        @Override
        public CompletionStage<? extends @Nullable ProduceResponseData> handle(
                RequestContext context, ProduceRequestData request) {
            CompletableFuture<@Nullable ProduceResponseData> answer = new CompletableFuture<>();
            produces.add(answer);
            return answer;
        }
    }

    /** Answers at once, with many bytes. */
    private final class FullFetch implements ApiHandler<FetchRequestData, FetchResponseData> {

        @Override
        public ApiKeys key() {
            return ApiKeys.FETCH;
        }

        @Override
        public CompletionStage<? extends @Nullable FetchResponseData> handle(
                RequestContext context, FetchRequestData request) {
            fetches.incrementAndGet();
            FetchResponseData.FetchableTopicResponse topic =
                    new FetchResponseData.FetchableTopicResponse().setTopic("orders");
            topic.partitions()
                    .add(new FetchResponseData.PartitionData()
                            .setRecords(new BufferRecords(PooledByteBufAllocator.DEFAULT
                                    .directBuffer()
                                    .writeZero(FETCH_BYTES))));
            FetchResponseData response = new FetchResponseData();
            response.responses().add(topic);
            return CompletableFuture.completedStage(response);
        }
    }
}
