package io.korvet.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;

/** Decodes requests of the APIs in a catalog. Stateless. */
public final class RequestCodec {

    private static final int KEY_AND_VERSION_BYTES = 4;

    private final ApiCatalog catalog;

    /** A codec for what the catalog lists. */
    public RequestCodec(ApiCatalog catalog) {
        this.catalog = catalog;
    }

    /**
     * Decodes the readable bytes of a frame, without the length in front.
     *
     * <p>Records in a Produce request are views of the frame and live as long as it does; everything else is copied. ApiVersions
     * in a version that isn't served decodes to an empty message with that version: it gets an answer, in version 0.
     *
     * @param frame not released, indexes not moved
     * @throws ProtocolException UNSUPPORTED_VERSION for an API or version that isn't served, INVALID_REQUEST for bytes that are
     *     no such request; Kafka closes the connection on both
     */
    public RequestFrame decode(ByteBuf frame) {
        ByteBuffer bytes = frame.nioBuffer();
        if (bytes.remaining() < KEY_AND_VERSION_BYTES) {
            throw new ProtocolException(
                    Errors.INVALID_REQUEST, "A request of " + bytes.remaining() + " bytes has no API key");
        }
        short id = bytes.getShort(0);
        short version = bytes.getShort(2);
        ApiCatalog.Api api = ApiKeys.hasId(id) ? catalog.api(ApiKeys.forId(id)) : null;
        if (api == null || !(api.serves(version) || api.key() == ApiKeys.API_VERSIONS)) {
            throw new ProtocolException(
                    Errors.UNSUPPORTED_VERSION,
                    "Version " + version + " of API " + (ApiKeys.hasId(id) ? ApiKeys.forId(id).name : "key " + id)
                            + " is not served");
        }
        ApiKeys key = api.key();
        try {
            ByteBufferAccessor accessor = new ByteBufferAccessor(bytes);
            RequestHeaderData header = new RequestHeaderData(accessor, key.requestHeaderVersion(version));
            return new RequestFrame(header, key, version, message(api, version, accessor));
        } catch (RuntimeException e) {
            throw new ProtocolException(
                    Errors.INVALID_REQUEST, "Malformed " + key.name + " request of version " + version, e);
        }
    }

    private static ApiMessage message(ApiCatalog.Api api, short version, ByteBufferAccessor accessor) {
        if (!api.serves(version)) {
            return new ApiVersionsRequestData();
        }
        ApiMessage message = api.key().messageType.newRequest();
        message.read(accessor, version);
        return message;
    }
}
