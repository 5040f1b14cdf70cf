package io.korvet.server.net;

import io.korvet.server.net.ReadGate.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
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
    private static final Pattern HTTP = Pattern.compile("GET |POST|PUT |HEAD|DELE|OPTI|PATC|CONN|TRAC|PRI ");
    private static final int TLS_HANDSHAKE = 0x1603;

    private final int maxBytes;
    private final ReadGate gate;
    private boolean broken;

    FrameDecoder(int maxBytes, ReadGate gate) {
        this.maxBytes = maxBytes;
        this.gate = gate;
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
        }
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
