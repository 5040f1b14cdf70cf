package io.korvet.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.protocol.ApiCatalog;
import io.korvet.protocol.RequestCodec;
import io.korvet.protocol.records.BufferRecords;
import io.korvet.server.handler.ApiVersionsHandler;
import io.korvet.store.StoreException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ResponseHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DispatcherTest {

    private final CompletableFuture<@Nullable ApiMessage> produced = new CompletableFuture<>();
    private final CompletableFuture<@Nullable ApiMessage> fetched = new CompletableFuture<>();
    private final List<String> observed = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();
    private final Dispatcher dispatcher = dispatcher();

    @Test
    void theFrameOfAFetchIsReleasedOnceDecoded() {
        RecordedExchange exchange = fetch();
        dispatcher.dispatch(exchange);
        assertThat(exchange.frameIsReleased()).isTrue();
        assertThat(exchange.answer).isNull();

        clock.set(500);
        fetched.complete(new FetchResponseData().setSessionId(7));
        FetchResponseData read = (FetchResponseData) read(exchange, ApiKeys.FETCH, 12);
        assertThat(read.sessionId()).isEqualTo(7);
        assertThat(observed).containsExactly("started FETCH", "finished FETCH NONE 500");
    }

    @Test
    void theFrameOfAProduceLivesUntilItsStageCompletes() {
        RecordedExchange exchange = produce(1);
        dispatcher.dispatch(exchange);
        assertThat(exchange.frameIsReleased()).isFalse();
        produced.complete(new ProduceResponseData());
        assertThat(exchange.frameIsReleased()).isTrue();
        assertThat(read(exchange, ApiKeys.PRODUCE, 9)).isInstanceOf(ProduceResponseData.class);
    }

    @Test
    void aFailureIsAnsweredInTheFormOfTheApi() {
        RecordedExchange exchange = produce(1);
        dispatcher.dispatch(exchange);
        produced.completeExceptionally(new StoreException(StoreException.Kind.UNAVAILABLE, "down"));

        ProduceResponseData read = (ProduceResponseData) read(exchange, ApiKeys.PRODUCE, 9);
        assertThat(read.responses()
                        .iterator()
                        .next()
                        .partitionResponses()
                        .get(0)
                        .errorCode())
                .isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
        assertThat(exchange.frameIsReleased()).isTrue();
        assertThat(observed).containsExactly("started PRODUCE", "finished PRODUCE KAFKA_STORAGE_ERROR 0");
    }

    @Test
    void aHandlerThatGivesNothingIsAnsweredToo() {
        RecordedExchange exchange = fetch();
        dispatcher.dispatch(exchange);
        fetched.complete(null);
        assertThat(((FetchResponseData) read(exchange, ApiKeys.FETCH, 12)).errorCode())
                .isEqualTo(Errors.UNKNOWN_SERVER_ERROR.code());
    }

    @Test
    void anAnswerThatTheVersionCanNotHoldBecomesAnError() {
        RecordedExchange exchange = RecordedExchange.of(ApiKeys.FETCH, (short) 4, new FetchRequestData());
        dispatcher.dispatch(exchange);
        ByteBuf bytes = PooledByteBufAllocator.DEFAULT.buffer().writeZero(10);
        FetchResponseData.FetchableTopicResponse topic = new FetchResponseData.FetchableTopicResponse();
        topic.partitions()
                .add(new FetchResponseData.PartitionData()
                        .setRecords(new BufferRecords(bytes))
                        .setPreferredReadReplica(3));
        FetchResponseData body = new FetchResponseData();
        body.responses().add(topic.setTopic("t"));
        fetched.complete(body.setSessionId(5));

        assertThat(read(exchange, ApiKeys.FETCH, 4)).isInstanceOf(FetchResponseData.class);
        assertThat(bytes.refCnt()).isZero();
        assertThat(observed.get(1)).isEqualTo("finished FETCH UNKNOWN_SERVER_ERROR 0");
    }

    @Test
    void produceWithoutAcknowledgementGetsNoAnswerAndAFailureClosesTheConnection() {
        RecordedExchange fine = produce(0);
        dispatcher.dispatch(fine);
        produced.complete(null);
        assertThat(fine.unanswered).isTrue();
        assertThat(fine.answer).isNull();
        assertThat(fine.frameIsReleased()).isTrue();

        RecordedExchange failing = produce(0);
        produced.obtrudeException(Errors.NOT_LEADER_OR_FOLLOWER.exception());
        dispatcher.dispatch(failing);
        assertThat(failing.closed).isTrue();
        assertThat(failing.answer).isNull();
        assertThat(failing.frameIsReleased()).isTrue();
    }

    @Test
    void whatIsNoServedRequestClosesTheConnection() {
        RecordedExchange unknown =
                new RecordedExchange(Unpooled.buffer().writeShort(999).writeShort(0));
        dispatcher.dispatch(unknown);
        assertThat(unknown.closed).isTrue();
        assertThat(unknown.frameIsReleased()).isTrue();

        RecordedExchange oldProduce =
                new RecordedExchange(Unpooled.buffer().writeShort(0).writeShort(2));
        dispatcher.dispatch(oldProduce);
        assertThat(oldProduce.closed).isTrue();
        assertThat(observed).containsExactly("refused UNSUPPORTED_VERSION", "refused UNSUPPORTED_VERSION");
    }

    @Test
    void apiVersionsAboveOursIsAnsweredInVersionZero() {
        RecordedExchange exchange = RecordedExchange.of(ApiKeys.API_VERSIONS, (short) 4, new ApiVersionsRequestData());
        exchange.frame().setShort(2, 77);
        dispatcher.dispatch(exchange);
        ApiVersionsResponseData read = (ApiVersionsResponseData) read(exchange, ApiKeys.API_VERSIONS, 0);
        assertThat(read.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
        var own = read.apiKeys().find(ApiKeys.API_VERSIONS.id);
        assertThat(own.minVersion()).isEqualTo((short) 0);
        assertThat(own.maxVersion()).isEqualTo((short) 4);
    }

    @Test
    void apiVersionsTellsTheCatalogAndChecksTheClientsName() {
        RecordedExchange exchange = RecordedExchange.of(
                ApiKeys.API_VERSIONS,
                (short) 4,
                new ApiVersionsRequestData().setClientSoftwareName("a").setClientSoftwareVersion("1"));
        dispatcher.dispatch(exchange);
        ApiVersionsResponseData read = (ApiVersionsResponseData) read(exchange, ApiKeys.API_VERSIONS, 4);
        assertThat(read.errorCode()).isZero();
        assertThat(read.apiKeys()).hasSize(3);
        assertThat(read.apiKeys().find(ApiKeys.PRODUCE.id).minVersion()).isZero();
        assertThat(read.finalizedFeaturesEpoch()).isEqualTo(-1);

        RecordedExchange odd = RecordedExchange.of(
                ApiKeys.API_VERSIONS,
                (short) 3,
                new ApiVersionsRequestData().setClientSoftwareName("?").setClientSoftwareVersion("1"));
        dispatcher.dispatch(odd);
        assertThat(((ApiVersionsResponseData) read(odd, ApiKeys.API_VERSIONS, 3)).errorCode())
                .isEqualTo(Errors.INVALID_REQUEST.code());
    }

    private Dispatcher dispatcher() {
        ApiCatalog catalog = ApiCatalog.SERVED.only(Set.of(ApiKeys.PRODUCE, ApiKeys.FETCH, ApiKeys.API_VERSIONS));
        RequestObserver observer = new RequestObserver() {
            @Override
            public void requestStarted(ApiKeys key, int requestBytes) {
                observed.add("started " + key);
            }

            @Override
            public void requestFinished(ApiKeys key, Errors error, long nanoseconds, int responseBytes) {
                observed.add("finished " + key + " " + error + " " + nanoseconds);
            }

            @Override
            public void requestRefused(Errors error) {
                observed.add("refused " + error);
            }
        };
        return new Dispatcher(
                new RequestCodec(catalog),
                new HandlerTable(
                        catalog,
                        List.of(
                                new StubHandler(ApiKeys.PRODUCE, produced),
                                new StubHandler(ApiKeys.FETCH, fetched),
                                new ApiVersionsHandler(catalog))),
                observer,
                PooledByteBufAllocator.DEFAULT,
                clock::get);
    }

    private static RecordedExchange fetch() {
        return RecordedExchange.of(ApiKeys.FETCH, (short) 12, new FetchRequestData());
    }

    private static RecordedExchange produce(int acks) {
        ProduceRequestData produce = new ProduceRequestData().setAcks((short) acks);
        produce.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName("orders")
                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData().setIndex(2))));
        return RecordedExchange.of(ApiKeys.PRODUCE, (short) 9, produce);
    }

    private static ApiMessage read(RecordedExchange exchange, ApiKeys key, int version) {
        ByteBuffer bytes = Objects.requireNonNull(exchange.answer);
        assertThat(bytes.getInt()).isEqualTo(bytes.remaining());
        ResponseHeader header = ResponseHeader.parse(bytes, key.responseHeaderVersion((short) version));
        assertThat(header.correlationId()).isEqualTo(RecordedExchange.CORRELATION_ID);
        return AbstractResponse.parseResponse(key, new ByteBufferAccessor(bytes), (short) version)
                .data();
    }
}
