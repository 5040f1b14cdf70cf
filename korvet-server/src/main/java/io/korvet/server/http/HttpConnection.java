package io.korvet.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One HTTP connection: whole requests in, answers out, one at a time; a deadline closes it when no request comes. */
@SuppressWarnings("FutureReturnValueIgnored") // of closing: nobody could do more when that fails
final class HttpConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    private final Actuator actuator;
    private final int patienceSeconds;
    private @Nullable Future<?> deadline;

    HttpConnection(Actuator actuator, int patienceSeconds) {
        this.actuator = actuator;
        this.patienceSeconds = patienceSeconds;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        expectRequest(context);
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        cancelDeadline();
        context.fireChannelInactive();
    }

    private void expectRequest(ChannelHandlerContext context) {
        cancelDeadline();
        deadline = context.executor().schedule(() -> context.close(), patienceSeconds, TimeUnit.SECONDS);
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        // A reader that takes no answer has the same deadline as one that sends no request.
        expectRequest(context);
        if (request.decoderResult().isFailure()) {
            write(context, HttpAnswer.refusal(400, "not a request this server reads"), false);
            return;
        }
        // One request at a time: the next is read when the answer to this one is written.
        context.channel().config().setAutoRead(false);
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        String path = new QueryStringDecoder(request.uri()).path();
        actuator.answer(request.method().name(), path, request.headers().get(HttpHeaderNames.AUTHORIZATION))
                .whenComplete((answer, failure) -> context.executor().execute(() -> {
                    if (failure == null) {
                        write(context, answer, keepAlive);
                    } else {
                        LOG.atWarn().addKeyValue("path", path).setCause(failure).log("HTTP request failed");
                        write(context, HttpAnswer.refusal(500, "failed; see the log"), false);
                    }
                }));
    }

    private void write(ChannelHandlerContext context, HttpAnswer answer, boolean keepAlive) {
        ByteBuf body = ByteBufUtil.writeUtf8(context.alloc(), answer.body());
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()), body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, answer.contentType())
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
                .set(HttpHeaderNames.CONNECTION, keepAlive ? HttpHeaderValues.KEEP_ALIVE : HttpHeaderValues.CLOSE);
        answer.headers().forEach(response.headers()::set);
        ChannelFuture written = context.writeAndFlush(response);
        if (keepAlive) {
            context.channel().config().setAutoRead(true);
            written.addListener(done -> expectRequest(context));
        } else {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.atDebug()
                .addKeyValue("peer", context.channel().remoteAddress())
                .setCause(cause)
                .log("HTTP connection failed");
        context.close();
    }
}
