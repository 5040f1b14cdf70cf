package io.korvet.protocol;

import io.korvet.protocol.records.BufferRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/** Encodes responses. Stateless. */
public final class ResponseCodec {

    private static final int LENGTH_BYTES = 4;

    private ResponseCodec() {}

    /**
     * Encodes a response with the length in front.
     *
     * <p>{@link BufferRecords} in a Fetch response become parts of the result without a copy. Their reference passes to the
     * result, or is released when encoding fails; either way the body must not be used again.
     *
     * @param version the request's version; one that ApiVersions doesn't have is answered in version 0
     * @return a buffer that the caller releases
     * @throws RuntimeException when a field is set that the version doesn't have
     */
    public static ByteBuf encode(
            ByteBufAllocator allocator, ApiKeys key, short version, int correlationId, ApiMessage body) {
        short form = key == ApiKeys.API_VERSIONS && !key.isVersionSupported(version) ? 0 : version;
        short headerForm = key.responseHeaderVersion(form);
        ByteBufWritable out = null;
        try {
            ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(correlationId);
            ObjectSerializationCache cache = new ObjectSerializationCache();
            MessageSizeAccumulator size = new MessageSizeAccumulator();
            header.addSize(size, cache, headerForm);
            body.addSize(size, cache, form);
            out = new ByteBufWritable(allocator, LENGTH_BYTES + size.sizeExcludingZeroCopy());
            out.writeInt(size.totalSize());
            header.write(out, cache, headerForm);
            body.write(out, cache, form);
            return out.finish();
        } catch (RuntimeException e) {
            if (out != null) {
                out.discard();
            }
            throw e;
        } finally {
            release(body);
        }
    }

    /** Releases what a response holds that will not be encoded. */
    public static void release(ApiMessage body) {
        if (body instanceof FetchResponseData fetch) {
            for (var topic : fetch.responses()) {
                for (var partition : topic.partitions()) {
                    if (partition.records() instanceof BufferRecords records) {
                        records.release();
                    }
                }
            }
        }
    }
}
