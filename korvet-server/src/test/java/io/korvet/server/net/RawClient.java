package io.korvet.server.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;

/** A socket that says whatever a test wants said. */
final class RawClient implements AutoCloseable {

    private static final int TIMEOUT_MILLISECONDS = 20_000;

    private final Socket socket;
    private final OutputStream out;
    private final DataInputStream in;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MILLISECONDS);
        out = socket.getOutputStream();
        in = new DataInputStream(socket.getInputStream());
    }

    /** A request with its length in front. */
    static byte[] request(ApiKeys key, short version, int correlationId, ApiMessage message) {
        ByteBuffer header = MessageUtil.toByteBufferAccessor(
                        new RequestHeader(key, version, "raw", correlationId).data(), key.requestHeaderVersion(version))
                .buffer();
        ByteBuffer body = MessageUtil.toByteBufferAccessor(message, version).buffer();
        int length = header.remaining() + body.remaining();
        return ByteBuffer.allocate(4 + length)
                .putInt(length)
                .put(header)
                .put(body)
                .array();
    }

    void send(byte... bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** The next response, from its correlation id on. */
    ByteBuffer receive() throws IOException {
        byte[] response = new byte[in.readInt()];
        in.readFully(response);
        return ByteBuffer.wrap(response);
    }

    /** Whether the broker closes the connection without a further byte. */
    boolean isClosedByPeer() {
        try {
            InputStream stream = socket.getInputStream();
            return stream.read() == -1;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Vanishes: the broker sees a reset instead of an orderly end. */
    void vanish() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
