package io.korvet.tiering;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands before an HTTP server and does to requests what networks and servers do. One request a connection; thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

    /**
     * A request as it came in.
     *
     * @param content all of it, one character a byte
     */
    public record Request(String method, String target, String content) {
        @Override
        public String toString() {
            return method + " " + target;
        }
    }

    /** What is done to a request. */
    public enum Fault {
        /** It is answered with 503 and not passed on. */
        UNAVAILABLE,
        /** It is taken, not passed on and never answered. */
        HANG,
        /** Its connection is reset before it is passed on. */
        RESET,
        /** It is passed on and carried out, and its connection is reset instead of the answer. */
        LOST_ANSWER,
        /** Its connection is reset, and it is passed on when {@link #release} is called. */
        HELD
    }

    private static final class Rule {
        final Fault fault;
        final Duration delay;
        final AtomicInteger left;
        final Predicate<Request> matching;

        Rule(Fault fault, Duration delay, int times, Predicate<Request> matching) {
            this.fault = fault;
            this.delay = delay;
            this.left = new AtomicInteger(times);
            this.matching = matching;
        }

        boolean takes(Request request) {
            return matching.test(request) && left.getAndUpdate(times -> Math.max(0, times - 1)) > 0;
        }
    }

    private final URI server;
    private final ServerSocket listener;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "fault-proxy");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final Queue<Request> held = new ConcurrentLinkedQueue<>();
    private final Queue<Request> seen = new ConcurrentLinkedQueue<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private FaultProxy(URI server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        threads.execute(this::accept);
    }

    /** A proxy that passes everything on until it is told otherwise. */
    public static FaultProxy before(URI server) {
        try {
            return new FaultProxy(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it listens. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    /** Does this to the next so many requests that match, unless an earlier rule takes them. */
    public void inject(Fault fault, int times, Predicate<Request> matching) {
        rules.add(new Rule(fault, Duration.ZERO, times, matching));
    }

    /** Passes the next so many requests that match on after a while. */
    public void delay(Duration delay, int times, Predicate<Request> matching) {
        rules.add(new Rule(Fault.HELD, delay, times, matching));
    }

    /** Forgets all rules and requests seen; requests that hang go on hanging. */
    public void clear() {
        rules.clear();
        seen.clear();
    }

    /** Passes on what was held, in order, and returns how many requests those were. */
    public int release() {
        int released = 0;
        for (Request request = held.poll(); request != null; request = held.poll()) {
            try {
                passOn(request);
                released++;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return released;
    }

    /** The requests that came in since the last {@link #clear}. */
    public List<Request> requests() {
        return List.copyOf(seen);
    }

    @Override
    public void close() {
        closed.countDown();
        threads.shutdownNow();
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                threads.execute(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            Request request = receive(client);
            if (request == null) {
                return;
            }
            seen.add(request);
            for (Rule rule : rules) {
                if (rule.takes(request)) {
                    apply(rule, request, client);
                    return;
                }
            }
            client.getOutputStream().write(passOn(request));
        } catch (IOException e) {
            // either side has gone, which is what the client sees
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void apply(Rule rule, Request request, Socket client) throws IOException, InterruptedException {
        if (!rule.delay.isZero()) {
            if (!closed.await(rule.delay.toMillis(), TimeUnit.MILLISECONDS)) {
                client.getOutputStream().write(passOn(request));
            }
            return;
        }
        switch (rule.fault) {
            case UNAVAILABLE ->
                client.getOutputStream()
                        .write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
            case HANG -> closed.await();
            case RESET -> client.setSoLinger(true, 0);
            case LOST_ANSWER -> {
                passOn(request);
                client.setSoLinger(true, 0);
            }
            case HELD -> {
                held.add(request);
                client.setSoLinger(true, 0);
            }
        }
    }

    private byte[] passOn(Request request) throws IOException {
        try (Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            upstream.setSoTimeout((int) TimeUnit.SECONDS.toMillis(60));
            upstream.getOutputStream().write(request.content.getBytes(StandardCharsets.ISO_8859_1));
            return upstream.getInputStream().readAllBytes();
        }
    }

    /** Reads a request and asks for an answer that ends with its connection. */
    private static @Nullable Request receive(Socket client) throws IOException {
        InputStream in = new BufferedInputStream(client.getInputStream());
        String first = line(in);
        if (first.isEmpty()) {
            return null;
        }
        List<String> headers = new ArrayList<>();
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            String name = header.substring(0, Math.max(0, header.indexOf(':'))).toLowerCase(Locale.ROOT);
            String value = header.substring(header.indexOf(':') + 1).strip();
            switch (name) {
                case "content-length" -> length = Integer.parseInt(value);
                case "expect" -> goOn(client.getOutputStream());
                case "transfer-encoding" -> throw new IOException("a chunked request, which this proxy doesn't know");
                default -> {}
            }
            if (!name.equals("connection") && !name.equals("expect")) {
                headers.add(header);
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes((first + "\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1));
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("a request that ends in its body");
        }
        bytes.writeBytes(body);
        String[] words = first.split(" ", -1);
        return new Request(words[0], words[1], bytes.toString(StandardCharsets.ISO_8859_1));
    }

    private static void goOn(OutputStream out) throws IOException {
        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int one = in.read(); one >= 0 && one != '\n'; one = in.read()) {
            if (one != '\r') {
                line.append((char) one);
            }
        }
        return line.toString();
    }
}
