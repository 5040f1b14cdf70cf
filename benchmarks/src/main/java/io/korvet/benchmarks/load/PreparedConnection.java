package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/** A blocking connection that sends prepared batches, a window of them unanswered, half a window per write. */
final class PreparedConnection implements AutoCloseable {

    private static final int RECORDS_IN_FLIGHT = 1_000;
    private static final int LEAST_IN_FLIGHT = 4;
    private static final int READ_TIMEOUT_MILLISECONDS = 20_000;
    private static final int BUFFER_BYTES = 1 << 17;
    private static final int LARGEST_ANSWER = 1 << 20;

    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;

    PreparedConnection(Contender contender) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), contender.port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_TIMEOUT_MILLISECONDS);
        out = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
    }

    /**
     * Sends records in batches of a size, to all partitions in turn, and waits for all answers.
     *
     * @return how many records were sent: whole batches, at least {@code records}
     */
    int send(List<TopicPartition> partitions, byte[] value, int batchRecords, int records, Duration atMost)
            throws IOException, BenchmarkException {
        long now = System.currentTimeMillis();
        List<PreparedRequest> requests = partitions.stream()
                .map(partition -> PreparedRequest.of(partition, value, batchRecords, now))
                .toList();
        int window = Math.max(LEAST_IN_FLIGHT, RECORDS_IN_FLIGHT / batchRecords);
        int batches = (records + batchRecords - 1) / batchRecords;
        long deadline = System.nanoTime() + atMost.toNanos();
        int sent = 0;
        for (int answered = 0; answered < batches; answered++) {
            if (sent - answered <= window / 2 && sent < batches) {
                for (; sent < batches && sent - answered < window; sent++) {
                    out.write(requests.get(sent % requests.size()).frame(sent));
                }
                out.flush();
            }
            awaitAnswer(answered);
            if (System.nanoTime() > deadline) {
                throw new BenchmarkException(
                        "only " + answered + " of " + batches + " batches were answered within " + atMost);
            }
        }
        return batches * batchRecords;
    }

    private void awaitAnswer(int correlationId) throws IOException, BenchmarkException {
        int length = in.readInt();
        if (length < Integer.BYTES || length > LARGEST_ANSWER) {
            throw new BenchmarkException("answer of " + length + " bytes");
        }
        byte[] answer = new byte[length];
        in.readFully(answer);
        PreparedRequest.check(answer, correlationId);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
