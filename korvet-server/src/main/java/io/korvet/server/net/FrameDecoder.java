package io.korvet.server.net;

import io.korvet.server.net.LargeRequests.Turn;
import io.korvet.server.net.ReadGate.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts what comes in into requests, length taken off; each is a slice that its receiver releases.
 *
 * <p>A length below zero or above the limit closes the connection with one log line, before anything of it is kept. While the
 * gate is closed nothing is cut.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failing write or close ends in exceptionCaught or channelInactive
final class FrameDecoder extends ByteToMessageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(FrameDecoder.class);

    private static final int LENGTH_BYTES = 4;
    private static final int SECONDS_FOR_LARGE = 60;
    private static final Pattern HTTP = Pattern.compile("GET |POST|PUT |HEAD|DELE|OPTI|PATC|CONN|TRAC|PRI ");
    private static final int TLS_HANDSHAKE = 0x1603;

    private final int maxBytes;
    private final ReadGate gate;
    private final LargeRequests largeRequests;
    private @Nullable Turn turn;
    private @Nullable Future<?> deadline;
    private boolean broken;

    FrameDecoder(int maxBytes, ReadGate gate, LargeRequests largeRequests) {
        this.maxBytes = maxBytes;
        this.gate = gate;
        this.largeRequests = largeRequests;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (broken) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (gate.isClosed() || in.readableBytes() < LENGTH_BYTES) {
            return;
        }
        int length = in.getInt(in.readerIndex());
        if (length < 0 || length > maxBytes) {
            refuse(context, in, length);
        } else if (in.readableBytes() >= LENGTH_BYTES + length) {
            in.skipBytes(LENGTH_BYTES);
            out.add(in.readRetainedSlice(length));
            endTurn();
        } else if (length >= LargeRequests.LARGE) {
            awaitTurn(context, length);
        }
    }

    /** The rest of a large request is read when it is its turn, and must then come within a minute. */
    private void awaitTurn(ChannelHandlerContext context, int length) {
        Turn current = turn;
        if (current == null) {
            current = largeRequests.turn(length, () -> gate.open(Reason.LARGE_REQUEST));
            turn = current;
        }
        if (!current.isHad()) {
            gate.close(Reason.LARGE_REQUEST);
        } else if (deadline == null) {
            deadline = context.executor().schedule(() -> tooSlow(context, length), SECONDS_FOR_LARGE, TimeUnit.SECONDS);
        }
    }

    private void tooSlow(ChannelHandlerContext context, int length) {
        LOG.atWarn()
                .addKeyValue("connectionId", context.channel().id().asShortText())
                .addKeyValue("peer", context.channel().remoteAddress())
                .addKeyValue("length", length)
                .log(
                        "Connection closed: a request of {} bytes was not there in whole after {} s",
                        length,
                        SECONDS_FOR_LARGE);
        broken = true;
        gate.close(Reason.CLOSING);
        context.close();
    }

    private void endTurn() {
        if (turn != null) {
            turn.end();
            turn = null;
        }
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        endTurn();
    }

    /** Unlike the parent, asks for nothing more when auto-read is off: that is what the gate is for. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        discardSomeReadBytes();
        context.fireChannelReadComplete();
    }

    /** Cuts on after the gate has opened. On the event loop only. */
    void resume(ChannelHandlerContext context) throws Exception {
        if (!context.isRemoved() && !gate.isClosed()) {
            channelRead(context, Unpooled.EMPTY_BUFFER);
            channelReadComplete(context);
        }
    }

    private void refuse(ChannelHandlerContext context, ByteBuf in, int length) {
        broken = true;
        LOG.atWarn()
                .addKeyValue("connectionId", context.channel().id().asShortText())
                .addKeyValue("peer", context.channel().remoteAddress())
                .addKeyValue("length", length)
                .log("Connection closed: a request of {} bytes, at most {} are taken{}", length, maxBytes, guess(in));
        in.skipBytes(in.readableBytes());
        gate.close(Reason.CLOSING);
        context.close();
    }

    private static String guess(ByteBuf in) {
        if (in.getUnsignedShort(in.readerIndex()) == TLS_HANDSHAKE) {
            return " (it looks like TLS: this listener takes plain text)";
        }
        String start = in.toString(in.readerIndex(), LENGTH_BYTES, StandardCharsets.ISO_8859_1);
        return HTTP.matcher(start).matches() ? " (it looks like HTTP: this port speaks the Kafka protocol)" : "";
    }
}
