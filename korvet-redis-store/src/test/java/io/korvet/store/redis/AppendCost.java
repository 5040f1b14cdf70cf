package io.korvet.store.redis;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryLog;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.WriterUpdate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures what an append costs Redis: microseconds of its main thread per record, for the append script and for plain
 * pipelined {@code XADD}, by batch size and shape. A program to be run by hand, not a test. Figures: docs/adr/0002.
 */
public final class AppendCost {

    private static final int RECORDS = 200_000;
    private static final int ROUNDS = 5;
    private static final String VALUE = "v".repeat(100);
    private static final String KEY = "k".repeat(16);
    private static final StreamName STREAM = new StreamName("cost:0");
    private static final OffsetEncoding ENCODING = new TimeEncoding(10);

    private AppendCost() {}

    /** Runs everything and prints a table. */
    public static void main(String[] arguments) {
        for (RedisServerBinary binary : RedisServerBinary.all()) {
            System.out.println(binary);
            try (RedisServerProcess server = RedisServerProcess.start(
                    binary, "--stream-node-max-bytes", "32768", "--stream-node-max-entries", "500")) {
                for (boolean withKey : new boolean[] {false, true}) {
                    row(
                            withKey ? "value,key,timestamp XADD" : "value,timestamp XADD",
                            server,
                            () -> plain(server, withKey));
                    for (int size : new int[] {1, 10, 100, 500}) {
                        row(
                                (withKey ? "value,key,timestamp n=" : "value,timestamp n=") + size,
                                server,
                                () -> script(server, withKey, size));
                    }
                }
            }
        }
    }

    private static void row(String name, RedisServerProcess server, Runnable work) {
        double[] microseconds = new double[ROUNDS];
        double[] wall = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            server.command("FLUSHALL");
            double before = cpuSeconds(server);
            long start = System.nanoTime();
            work.run();
            wall[round] = RECORDS / ((System.nanoTime() - start) / 1e9);
            microseconds[round] = (cpuSeconds(server) - before) * 1e6 / RECORDS;
        }
        Arrays.sort(microseconds);
        Arrays.sort(wall);
        System.out.println(String.format(
                Locale.ROOT,
                "  %-32s %.2f us/record (%.2f)  %.0f records/s",
                name,
                microseconds[ROUNDS / 2],
                microseconds[0],
                wall[ROUNDS / 2]));
    }

    private static double cpuSeconds(RedisServerProcess server) {
        String info = server.command("INFO", "cpu");
        double sum = 0;
        Matcher matcher =
                Pattern.compile("used_cpu_(?:sys|user)_main_thread:([0-9.]+)").matcher(info);
        while (matcher.find()) {
            sum += Double.parseDouble(matcher.group(1));
        }
        return sum;
    }

    private static void script(RedisServerProcess server, boolean withKey, int size) {
        ByteBuf value = Unpooled.copiedBuffer(VALUE, StandardCharsets.US_ASCII);
        ByteBuf key = Unpooled.copiedBuffer(KEY, StandardCharsets.US_ASCII);
        try (RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())))) {
            EntryLog log = store.entries();
            Stages.await(log.create(STREAM, "x"));
            Deque<CompletionStage<AppendResult>> inFlight = new ArrayDeque<>();
            int depth = Math.max(2, 1000 / size);
            StreamEntryId last = null;
            String state = "";
            long offset = 1_767_225_600_000L << 10;
            for (int sent = 0; sent < RECORDS; sent += size) {
                if (inFlight.size() == depth) {
                    check(Stages.await(inFlight.remove()));
                }
                EntryEncoder encoder = log.encoder(size, size * 150);
                for (int i = 0; i < size; i++) {
                    encoder.begin(withKey ? 11 : 9, 1_767_225_600_000L + sent);
                    encoder.field(value, 0, value.readableBytes());
                    if (withKey) {
                        encoder.field(key, 0, key.readableBytes());
                    }
                    encoder.field(1_767_225_600_000L + sent);
                }
                String next = "3|" + sent + "|" + offset + "|" + offset + "|" + offset;
                inFlight.add(log.append(new AppendBatch(
                        STREAM,
                        "x",
                        0,
                        last,
                        AppendBatch.Roll.STAY,
                        ENCODING.idOf(offset),
                        ENCODING.sequencesPerMillisecond(),
                        List.of(new WriterUpdate("7001", state, next)),
                        encoder.finish(),
                        1_767_225_600_000L)));
                state = next;
                offset += size;
                last = ENCODING.idOf(offset - 1);
            }
            inFlight.forEach(answer -> check(Stages.await(answer)));
        }
    }

    private static void check(AppendResult result) {
        if (result.kind() != AppendResult.Kind.APPENDED) {
            throw new IllegalStateException(result.toString());
        }
    }

    private static void plain(RedisServerProcess server, boolean withKey) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
            long offset = 1_767_225_600_000L << 10;
            for (int sent = 0; sent < RECORDS; sent += 500) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int i = 0; i < 500; i++) {
                    String[] words = withKey
                            ? new String[] {
                                "XADD",
                                "s",
                                ENCODING.idOf(offset).toString(),
                                "value",
                                VALUE,
                                "key",
                                KEY,
                                "timestamp",
                                "1767225600000"
                            }
                            : new String[] {
                                "XADD",
                                "s",
                                ENCODING.idOf(offset).toString(),
                                "value",
                                VALUE,
                                "timestamp",
                                "1767225600000"
                            };
                    out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
                    for (String word : words) {
                        out.writeBytes(
                                ("$" + word.length() + "\r\n" + word + "\r\n").getBytes(StandardCharsets.US_ASCII));
                    }
                    offset++;
                }
                socket.getOutputStream().write(out.toByteArray());
                for (int lines = 0; lines < 1000; ) {
                    if (in.read() == '\n') {
                        lines++;
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
