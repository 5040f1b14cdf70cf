package io.korvet.server.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** A request without a connection, which keeps what becomes of it. */
final class RecordedExchange implements Exchange {

    static final int CORRELATION_ID = 41;

    private final ByteBuf frame;
    boolean closed;
    boolean unanswered;

    @Nullable
    ByteBuffer answer;

    RecordedExchange(ByteBuf frame) {
        this.frame = frame;
    }

    static RecordedExchange of(ApiKeys key, short version, ApiMessage message) {
        ByteBuffer header = MessageUtil.toByteBufferAccessor(
                        new RequestHeader(key, version, "a client", CORRELATION_ID).data(),
                        key.requestHeaderVersion(version))
                .buffer();
        return new RecordedExchange(Unpooled.buffer()
                .writeBytes(header)
                .writeBytes(MessageUtil.toByteBufferAccessor(message, version).buffer()));
    }

    boolean frameIsReleased() {
        return frame.refCnt() == 0;
    }

    @Override
    public Connection connection() {
        return new Connection("c1", "broker", InetSocketAddress.createUnresolved("client", 1));
    }

    @Override
    public ByteBuf frame() {
        return frame;
    }

    @Override
    public void releaseFrame() {
        if (frame.refCnt() > 0) {
            frame.release();
        }
    }

    @Override
    public void answer(ByteBuf response) {
        byte[] copy = new byte[response.readableBytes()];
        response.readBytes(copy).release();
        answer = ByteBuffer.wrap(copy);
    }

    @Override
    public void answerNothing() {
        unanswered = true;
    }

    @Override
    public void close() {
        closed = true;
    }
}
