package io.korvet.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CodecTest {

    private final RequestCodec codec = new RequestCodec(ApiCatalog.SERVED);

    static Stream<Arguments> everyServedVersion() {
        return ApiCatalog.SERVED.apis().stream()
                .flatMap(api -> IntStream.rangeClosed(api.minimum(), api.maximum())
                        .mapToObj(version -> Arguments.of(api.key(), (short) version)));
    }

    @ParameterizedTest
    @MethodSource("everyServedVersion")
    void decodesRequestsAndEncodesTheirFailuresForKafkaClients(ApiKeys key, short version) {
        ApiMessage sent =
                key == ApiKeys.PRODUCE ? new ProduceRequestData().setAcks((short) 1) : key.messageType.newRequest();
        RequestFrame request = codec.decode(frame(key, version, sent));

        assertThat(request.key()).isEqualTo(key);
        assertThat(request.version()).isEqualTo(version);
        assertThat(request.header().correlationId()).isEqualTo(77);
        assertThat(request.header().clientId()).isEqualTo("a client");
        assertThat(request.message()).isEqualTo(sent);

        ApiMessage failure = request.errorResponse(new NotLeaderOrFollowerException("no"));
        assertThat(kafkaReads(key, version, encode(key, version, failure)).apiKey())
                .isEqualTo(key);
    }

    @Test
    void aFailedProduceAnswersForEveryPartitionWithoutTouchingTheRequest() {
        ProduceRequestData produce = produce((short) 1);
        RequestFrame request = codec.decode(frame(ApiKeys.PRODUCE, (short) 9, produce));

        ProduceResponseData failure =
                (ProduceResponseData) request.errorResponse(Errors.KAFKA_STORAGE_ERROR.exception());

        var partition = failure.responses()
                .find("orders", Uuid.ZERO_UUID)
                .partitionResponses()
                .get(0);
        assertThat(partition.index()).isEqualTo(4);
        assertThat(partition.errorCode()).isEqualTo(Errors.KAFKA_STORAGE_ERROR.code());
        assertThat(request.message()).isEqualTo(produce);
    }

    @Test
    void onlyProduceWithoutAcknowledgementExpectsNoResponse() {
        assertThat(codec.decode(frame(ApiKeys.PRODUCE, (short) 9, produce((short) 0)))
                        .expectsResponse())
                .isFalse();
        assertThat(codec.decode(frame(ApiKeys.PRODUCE, (short) 9, produce((short) -1)))
                        .expectsResponse())
                .isTrue();
    }

    @Test
    void recordsOfAProduceRequestAreAViewOfTheFrame() {
        ByteBuf frame = frame(ApiKeys.PRODUCE, (short) 9, produce((short) 1));
        RequestFrame request = codec.decode(frame);
        MemoryRecords records = (MemoryRecords) ((ProduceRequestData) request.message())
                .topicData()
                .iterator()
                .next()
                .partitionData()
                .get(0)
                .records();

        int before = records.buffer().getInt(57);
        int at = frame.forEachByte(b -> b != 'v') + 5;
        frame.setBytes(at, new byte[frame.readableBytes() - at]);
        assertThat(records.buffer().getInt(57)).isNotEqualTo(before);
    }

    @Test
    void apiVersionsAboveOursDecodesToAnEmptyRequestAndIsAnsweredInVersionZero() {
        for (short version : new short[] {5, 99, Short.MAX_VALUE}) {
            ByteBuf frame = frame(ApiKeys.API_VERSIONS, (short) 4, new ApiVersionsRequestData());
            frame.setShort(2, version);
            RequestFrame request = codec.decode(frame);
            assertThat(request.version()).isEqualTo(version);
            assertThat(request.header().correlationId()).isEqualTo(77);

            ApiVersionsResponseData body =
                    new ApiVersionsResponseData().setErrorCode(Errors.UNSUPPORTED_VERSION.code());
            assertThat(kafkaReads(
                                    ApiKeys.API_VERSIONS,
                                    (short) 0,
                                    encode(ApiKeys.API_VERSIONS, request.version(), body))
                            .data())
                    .isEqualTo(body);
        }
    }

    @Test
    void unservedApisAndVersionsAreRefused() {
        refuses(Errors.UNSUPPORTED_VERSION, Unpooled.buffer().writeShort(5_000).writeShort(0));
        refuses(Errors.UNSUPPORTED_VERSION, Unpooled.buffer().writeShort(-1).writeShort(0));
        refuses(
                Errors.UNSUPPORTED_VERSION,
                Unpooled.buffer().writeShort(ApiKeys.VOTE.id).writeShort(0));
        refuses(
                Errors.UNSUPPORTED_VERSION,
                Unpooled.buffer().writeShort(ApiKeys.PRODUCE.id).writeShort(2));
        refuses(
                Errors.UNSUPPORTED_VERSION,
                Unpooled.buffer().writeShort(ApiKeys.FETCH.id).writeShort(19));
    }

    @Test
    void shortOrMalformedRequestsAreRefused() {
        refuses(Errors.INVALID_REQUEST, Unpooled.EMPTY_BUFFER);
        refuses(Errors.INVALID_REQUEST, Unpooled.buffer().writeShort(0).writeByte(0));
        refuses(
                Errors.INVALID_REQUEST,
                Unpooled.buffer().writeShort(0).writeShort(9).writeInt(1));
    }

    @Test
    void garbageNeverEscapesAsAnythingElse() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Arguments> versions = everyServedVersion().toList();
        for (int run = 0; run < 20_000; run++) {
            Object[] version = versions.get(random.nextInt(versions.size())).get();
            ByteBuf frame = Unpooled.buffer()
                    .writeShort(((ApiKeys) version[0]).id)
                    .writeShort((short) version[1])
                    .writeInt(1)
                    .writeShort(-1);
            for (int i = random.nextInt(60); i > 0; i--) {
                frame.writeByte(random.nextBoolean() ? random.nextInt(3) : random.nextInt(256));
            }
            try {
                codec.decode(frame);
            } catch (ProtocolException expected) {
                assertThat(expected.error()).isEqualTo(Errors.INVALID_REQUEST);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + " run " + run, e);
            }
        }
    }

    private void refuses(Errors error, ByteBuf frame) {
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> codec.decode(frame))
                .satisfies(e -> assertThat(e.error()).isEqualTo(error));
    }

    private static ProduceRequestData produce(short acks) {
        ProduceRequestData produce = new ProduceRequestData().setAcks(acks).setTimeoutMs(1_000);
        produce.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName("orders")
                        .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(4)
                                .setRecords(MemoryRecords.withRecords(
                                        Compression.NONE, new SimpleRecord(1, new byte[] {1}))))));
        return produce;
    }

    private static ByteBuf frame(ApiKeys key, short version, ApiMessage message) {
        ByteBuf frame = Unpooled.buffer();
        ByteBuffer header = MessageUtil.toByteBufferAccessor(
                        new RequestHeader(key, version, "a client", 77).data(), key.requestHeaderVersion(version))
                .buffer();
        return frame.writeBytes(header)
                .writeBytes(MessageUtil.toByteBufferAccessor(message, version).buffer());
    }

    private static ByteBuffer encode(ApiKeys key, short version, ApiMessage body) {
        ByteBuf encoded = ResponseCodec.encode(PooledByteBufAllocator.DEFAULT, key, version, 77, body);
        try {
            assertThat(encoded.getInt(0)).isEqualTo(encoded.readableBytes() - 4);
            byte[] copy = new byte[encoded.readableBytes() - 4];
            encoded.getBytes(4, copy);
            return ByteBuffer.wrap(copy);
        } finally {
            encoded.release();
        }
    }

    private static AbstractResponse kafkaReads(ApiKeys key, short version, ByteBuffer bytes) {
        ResponseHeader header = ResponseHeader.parse(bytes, key.responseHeaderVersion(version));
        assertThat(header.correlationId()).isEqualTo(77);
        AbstractResponse response = AbstractResponse.parseResponse(key, new ByteBufferAccessor(bytes), version);
        assertThat(bytes.remaining()).isZero();
        return response;
    }
}
