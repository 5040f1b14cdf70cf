package io.korvet.it.broker;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A broker's way to Redis that can be cut: what the broker sends then arrives when the way is there again, also of connections
 * that the broker has given up meanwhile, as TCP does it. Thread-safe.
 */
public final class RedisLink implements AutoCloseable {
    private final URI redis;
    private final ServerSocket server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger open = new AtomicInteger();
    private boolean cut; // guarded by this

    /** A way to a Redis. */
    public RedisLink(RedisProcess redis) {
        this.redis = URI.create(redis.uri());
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    /** Its address, for a broker. */
    public String uri() {
        return "redis://127.0.0.1:" + server.getLocalPort();
    }

    /** Nothing arrives at Redis any more. */
    public synchronized void cut() {
        cut = true;
    }

    /** All that was sent meanwhile arrives now, each connection's bytes in their order. */
    public synchronized void mend() {
        cut = false;
        notifyAll();
    }

    /** How many connections Redis has not ended. */
    public int open() {
        return open.get();
    }

    private synchronized void awaitMended() throws InterruptedException {
        while (cut) {
            wait();
        }
    }

    private void accept() {
        try {
            while (!server.isClosed()) {
                pass(server.accept());
            }
        } catch (IOException e) {
            close(server);
        }
    }

    private void pass(Socket broker) {
        try {
            Socket store = new Socket(redis.getHost(), redis.getPort());
            open.incrementAndGet();
            threads.execute(() -> copy(broker, store, true));
            threads.execute(() -> copy(store, broker, false));
        } catch (IOException e) {
            close(broker);
        }
    }

    private void copy(Socket from, Socket to, boolean towardsRedis) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[1 << 16];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                if (towardsRedis) {
                    awaitMended();
                }
                write(out, bytes, read, towardsRedis);
            }
            if (towardsRedis) {
                awaitMended();
                to.shutdownOutput();
            } else {
                to.close();
            }
        } catch (IOException e) {
            close(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (!towardsRedis) {
                open.decrementAndGet();
            }
        }
    }

    /** What a broker doesn't read any more is read all the same, so that Redis carries out the rest. */
    private static void write(OutputStream out, byte[] bytes, int length, boolean towardsRedis) throws IOException {
        try {
            out.write(bytes, 0, length);
        } catch (IOException e) {
            if (towardsRedis) {
                throw e;
            }
        }
    }

    private static void close(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        close(server);
        mend();
        threads.shutdownNow();
    }
}
