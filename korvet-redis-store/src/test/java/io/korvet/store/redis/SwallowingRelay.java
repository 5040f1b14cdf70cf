package io.korvet.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP relay to a server that swallows a number of commands, each together with all that follows on its connection: as
 * where a network went silent just then.
 */
final class SwallowingRelay implements AutoCloseable {

    private final ServerSocket listener;
    private final int serverPort;
    private final String command;
    private final AtomicInteger left;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** Swallows the first so many commands with this text in them. */
    SwallowingRelay(int serverPort, String command, int times) {
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.serverPort = serverPort;
        this.command = command;
        this.left = new AtomicInteger(times);
        start("relay", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How many commands are still to be swallowed. */
    int left() {
        return left.get();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // The end of a connection, or of the relay.
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            sockets.add(client);
            sockets.add(server);
            start("relay to server", () -> pump(client, server, true));
            start("relay to client", () -> pump(server, client, false));
        }
    }

    private void pump(Socket from, Socket to, boolean swallows) throws IOException {
        byte[] bytes = new byte[65_536];
        boolean silent = false;
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int count;
            while ((count = in.read(bytes)) >= 0) {
                String text = new String(bytes, 0, count, StandardCharsets.ISO_8859_1);
                silent |= swallows && text.contains(command) && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
                if (!silent) {
                    out.write(bytes, 0, count);
                }
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
