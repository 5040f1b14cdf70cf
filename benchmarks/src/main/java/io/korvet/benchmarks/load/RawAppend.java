package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import io.korvet.benchmarks.report.Metric;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The ceiling: XADD pipelined through one blocking socket, 1,000 unanswered, straight to Redis. Commands are encoded
 * once; Redis gives the ids.
 *
 * @param records how many
 * @param valueBytes size of each value
 * @param shape the fields of an entry
 */
public record RawAppend(int records, int valueBytes, Shape shape) implements Measurement {

    /** The fields of an entry. */
    public enum Shape {
        /** Only the value. */
        VALUE("value"),
        /** Value and timestamp, as Korvet stores a record without key and headers. */
        AS_STORED("value, timestamp");

        private final String title;

        Shape(String title) {
            this.title = title;
        }
    }

    private static final int BLOCK = 500;
    private static final int READ_TIMEOUT_MILLISECONDS = 20_000;
    private static final String KEY = "benchmark:raw";

    @Override
    public String name() {
        return "pipelined XADD of %s, %,d B".formatted(shape.title, valueBytes);
    }

    @Override
    public Contender.Protocol protocol() {
        return Contender.Protocol.REDIS;
    }

    @Override
    public Map<Metric, Double> run(Contender contender) throws Exception {
        byte[] block = block();
        int blocks = Math.max(2, records / BLOCK);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), contender.port())) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(READ_TIMEOUT_MILLISECONDS);
            OutputStream out = socket.getOutputStream();
            Replies replies = new Replies(socket.getInputStream());
            Meter meter = Meter.start(contender);
            out.write(block);
            for (int sent = 1; sent < blocks; sent++) {
                out.write(block);
                replies.await(2 * BLOCK);
            }
            replies.await(2 * BLOCK);
            Map<Metric, Double> sample = meter.read((long) blocks * BLOCK, valueBytes);
            out.write(command(List.of(bytes("UNLINK"), bytes(KEY))));
            replies.await(1);
            return sample;
        }
    }

    private byte[] block() throws IOException {
        byte[] value = Clients.value(valueBytes);
        byte[] command = switch (shape) {
            case VALUE -> command(List.of(bytes("XADD"), bytes(KEY), bytes("*"), bytes("value"), value));
            case AS_STORED ->
                command(List.of(
                        bytes("XADD"),
                        bytes(KEY),
                        bytes("*"),
                        bytes("value"),
                        value,
                        bytes("timestamp"),
                        bytes("1700000000000")));
        };
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < BLOCK; i++) {
            block.write(command);
        }
        return block.toByteArray();
    }

    private static byte[] command(List<byte[]> arguments) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes("*" + arguments.size() + "\r\n"));
        for (byte[] argument : arguments) {
            out.write(bytes("$" + argument.length + "\r\n"));
            out.write(argument);
            out.write(bytes("\r\n"));
        }
        return out.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Counts the lines of replies: two for an id, one for a number. */
    private static final class Replies {
        private static final int BUFFER_BYTES = 1 << 16;

        private final InputStream in;
        private final byte[] buffer = new byte[BUFFER_BYTES];
        private int position;
        private int limit;
        private byte previous = '\n';

        Replies(InputStream in) {
            this.in = in;
        }

        void await(int lines) throws IOException {
            for (int left = lines; left > 0; ) {
                if (position == limit) {
                    position = 0;
                    limit = in.read(buffer);
                    if (limit < 0) {
                        throw new IOException("Redis closed the connection");
                    }
                }
                byte next = buffer[position++];
                if (previous == '\n' && next == '-') {
                    throw new IOException("Redis refused: "
                            + new String(buffer, position, limit - position, StandardCharsets.US_ASCII)
                                    .lines()
                                    .findFirst()
                                    .orElse(""));
                }
                previous = next;
                if (next == '\n') {
                    left--;
                }
            }
        }
    }
}
