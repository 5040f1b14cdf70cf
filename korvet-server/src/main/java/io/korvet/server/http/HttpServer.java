package io.korvet.server.http;

import io.korvet.server.StartException;
import io.korvet.server.config.AdminConfig;
import io.korvet.server.metrics.BrokerMeters;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health and metrics over HTTP/1.1, on one event loop of its own.
 *
 * <p>Bounded: {@link #MOST_CONNECTIONS} connections, 4 KiB of request line, 8 KiB of headers, 64 KiB of body; a request that isn't
 * there in whole after {@link #PATIENCE_SECONDS}, and a connection that is idle for as long, is closed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // of closing: nobody could do more when that fails
public final class HttpServer {

    static final int MOST_CONNECTIONS = 256;
    static final int PATIENCE_SECONDS = 30;

    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

    private final AdminConfig config;
    private final Actuator actuator;
    private final AtomicInteger connections = new AtomicInteger();
    private @Nullable EventLoopGroup loop;
    private @Nullable Channel channel;

    /**
     * A server that is not listening yet.
     *
     * @param info what {@code /actuator/info} tells
     */
    public HttpServer(
            AdminConfig config, HealthChecks checks, BrokerMeters meters, Map<String, ?> info, InstantSource clock) {
        this.config = withPassword(config);
        this.actuator = new Actuator(this.config, new Readiness(checks, clock), meters, info);
    }

    private static AdminConfig withPassword(AdminConfig config) {
        if (config.password() != null || !config.securityEnabled() || config.anonymousPrometheus()) {
            return config;
        }
        byte[] random = new byte[18];
        new SecureRandom().nextBytes(random);
        String password = Base64.getUrlEncoder().encodeToString(random);
        LOG.info(
                "No korvet.admin.password is set. For this run, HTTP Basic takes user {} with password {}",
                config.username(),
                password);
        return new AdminConfig(
                config.enabled(), config.host(), config.port(), true, config.username(), password, false);
    }

    /**
     * Listens; called once.
     *
     * @return the port bound
     * @throws StartException when the port can't be had
     */
    public int start() {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("korvet-http", true), NioIoHandler.newFactory());
        loop = group;
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel connection) {
                        accept(connection);
                    }
                })
                .bind(config.host(), config.port())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stop();
            throw StartException.notBound(
                    "HTTP", config.host(), config.port(), "--http-port or korvet.admin.port", bound.cause());
        }
        channel = bound.channel();
        return ((InetSocketAddress) bound.channel().localAddress()).getPort();
    }

    private void accept(SocketChannel connection) {
        if (connections.incrementAndGet() > MOST_CONNECTIONS) {
            connections.decrementAndGet();
            connection.close();
            return;
        }
        connection.closeFuture().addListener(closed -> connections.decrementAndGet());
        connection
                .pipeline()
                .addLast(new HttpServerCodec(
                        new HttpDecoderConfig().setMaxInitialLineLength(4096).setMaxHeaderSize(8192)))
                .addLast(new BoundedBody())
                .addLast(new FlowControlHandler())
                .addLast(new HttpConnection(actuator, PATIENCE_SECONDS));
    }

    /** Stops listening and closes what is open; idempotent. */
    public void stop() {
        if (channel != null) {
            channel.close().awaitUninterruptibly(5, TimeUnit.SECONDS);
            channel = null;
        }
        if (loop != null) {
            loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(6, TimeUnit.SECONDS);
            loop = null;
        }
    }

    /** Whole requests; a body that is too long ends the connection instead of being read to its end. */
    private static final class BoundedBody extends HttpObjectAggregator {

        BoundedBody() {
            super(65_536, true);
        }

        @Override
        protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
            FullHttpResponse refusal = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, Unpooled.EMPTY_BUFFER);
            refusal.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, 0);
            context.writeAndFlush(refusal).addListener(ChannelFutureListener.CLOSE);
        }
    }
}
