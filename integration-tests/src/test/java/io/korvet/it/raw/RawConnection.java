package io.korvet.it.raw;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** One blocking connection that sends any request in any version, and bytes that are none. For one thread. */
public final class RawConnection implements AutoCloseable {
    private final Socket socket;
    private int correlationId;

    private RawConnection(Socket socket) {
        this.socket = socket;
    }

    /** Connects to {@code host:port}; reads give up after 30 seconds. */
    public static RawConnection open(String bootstrap) {
        int colon = bootstrap.lastIndexOf(':');
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(30_000);
            socket.connect(
                    new InetSocketAddress(
                            bootstrap.substring(0, colon), Integer.parseInt(bootstrap.substring(colon + 1))),
                    10_000);
            return new RawConnection(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a request and reads its answer in the same version. */
    public <T extends ApiMessage> T exchange(Class<T> answer, ApiMessage request, int version) {
        send(request, version);
        return answer.cast(receive(ApiKeys.forId(request.apiKey()), version));
    }

    /** Sends requests at once, in order, and reads their answers. */
    public <T extends ApiMessage> List<T> exchangeAll(
            Class<T> answer, List<? extends ApiMessage> requests, int version) {
        int before = correlationId;
        requests.forEach(request -> send(request, version));
        List<T> answers = new ArrayList<>();
        for (ApiMessage request : requests) {
            answers.add(answer.cast(receive(ApiKeys.forId(request.apiKey()), version, ++before)));
        }
        return answers;
    }

    /** Sends a request without waiting for an answer. */
    public void send(ApiMessage request, int version) {
        ApiKeys key = ApiKeys.forId(request.apiKey());
        short headerVersion = key.requestHeaderVersion((short) version);
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(key.id)
                .setRequestApiVersion((short) version)
                .setCorrelationId(++correlationId)
                .setClientId("raw");
        ByteBuffer head = encode(header, headerVersion);
        ByteBuffer body = encode(request, (short) version);
        ByteBuffer frame = ByteBuffer.allocate(4 + head.remaining() + body.remaining());
        frame.putInt(head.remaining() + body.remaining()).put(head).put(body);
        sendBytes(frame.array());
    }

    /** Reads the next answer, which must be to the last request sent and end where its frame ends. */
    public ApiMessage receive(ApiKeys key, int version) {
        return receive(key, version, correlationId);
    }

    private ApiMessage receive(ApiKeys key, int version, int expectedId) {
        ByteBufferAccessor frame = new ByteBufferAccessor(receiveFrame());
        ResponseHeaderData header = new ResponseHeaderData(frame, key.responseHeaderVersion((short) version));
        if (header.correlationId() != expectedId) {
            throw new AssertionError("answer to " + header.correlationId() + " instead of " + expectedId);
        }
        ApiMessage answer = ApiMessageType.fromApiKey(key.id).newResponse();
        answer.read(frame, (short) version);
        if (frame.remaining() != 0) {
            throw new AssertionError(
                    key + " version " + version + " has " + frame.remaining() + " bytes too many: " + answer);
        }
        return answer;
    }

    /** Sends bytes as they are. */
    public void sendBytes(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads one frame without its length. */
    public ByteBuffer receiveFrame() {
        try {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            return ByteBuffer.wrap(frame);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the broker closes the connection within a number of milliseconds without an answer. */
    public boolean closedWithin(int milliseconds) {
        try {
            socket.setSoTimeout(milliseconds);
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static ByteBuffer encode(Message message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBufferAccessor out = new ByteBufferAccessor(ByteBuffer.allocate(message.size(cache, version)));
        message.write(out, cache, version);
        out.flip();
        return out.buffer();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
