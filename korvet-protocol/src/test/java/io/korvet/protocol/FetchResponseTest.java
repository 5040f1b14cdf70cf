package io.korvet.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

import io.korvet.protocol.records.BufferRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;

class FetchResponseTest {

    @Test
    void recordsTravelWithoutACopyAndOwnershipMovesToTheResult() {
        List<ByteBuf> buffers = new ArrayList<>();
        FetchResponseData body = response(buffers, 40);

        ByteBuf encoded = ResponseCodec.encode(PooledByteBufAllocator.DEFAULT, ApiKeys.FETCH, (short) 13, 9, body);

        // Written into the sources after encoding: seen in the result because it holds no copies.
        buffers.forEach(buffer -> buffer.setByte(0, 99));
        byte[] copy = new byte[encoded.readableBytes() - 4];
        encoded.getBytes(4, copy);
        assertThat(encoded.getInt(0)).isEqualTo(copy.length);
        ByteBuffer bytes = ByteBuffer.wrap(copy).position(5);
        FetchResponseData read = new FetchResponseData(new ByteBufferAccessor(bytes), (short) 13);
        for (int i = 0; i < 40; i++) {
            ByteBuffer records =
                    ((MemoryRecords) read.responses().get(0).partitions().get(i).records()).buffer();
            assertThat(records.remaining()).isEqualTo(i % 3 == 0 ? 0 : 100);
            if (records.hasRemaining()) {
                assertThat(records.get(0)).isEqualTo((byte) 99);
            }
        }
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isOne());
        encoded.release();
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
    }

    @Test
    void aResponseThatCanNotBeEncodedReleasesItsRecords() {
        List<ByteBuf> buffers = new ArrayList<>();
        FetchResponseData body = response(buffers, 5);
        body.responses()
                .get(0)
                .partitions()
                .get(4)
                .setDivergingEpoch(
                        new FetchResponseData.EpochEndOffset().setEpoch(3).setEndOffset(3));

        assertThatRuntimeException()
                .isThrownBy(() -> ResponseCodec.encode(
                        PooledByteBufAllocator.DEFAULT, ApiKeys.FETCH, (short) 7, 9, body.setErrorCode((short) 1)));
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
    }

    @Test
    void aResponseThatIsNotEncodedCanBeReleased() {
        List<ByteBuf> buffers = new ArrayList<>();
        ResponseCodec.release(response(buffers, 5));
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
    }

    /** One topic; every third partition has no records. */
    private static FetchResponseData response(List<ByteBuf> buffers, int partitions) {
        FetchResponseData.FetchableTopicResponse topic = new FetchResponseData.FetchableTopicResponse();
        for (int i = 0; i < partitions; i++) {
            BufferRecords records = BufferRecords.EMPTY;
            if (i % 3 != 0) {
                ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer().writeZero(100);
                buffers.add(buffer);
                records = new BufferRecords(buffer);
            }
            topic.partitions()
                    .add(new FetchResponseData.PartitionData()
                            .setPartitionIndex(i)
                            .setRecords(records));
        }
        FetchResponseData body = new FetchResponseData();
        body.responses().add(topic);
        return body;
    }
}
