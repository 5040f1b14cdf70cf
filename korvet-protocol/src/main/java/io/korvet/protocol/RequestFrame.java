package io.korvet.protocol;

import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * A decoded request.
 *
 * @param header correlation id and client id among others
 * @param key the API key
 * @param version the API version; for ApiVersions it may be one that isn't served
 * @param message the body; records in it are views of the frame it was decoded from
 */
public record RequestFrame(RequestHeaderData header, ApiKeys key, short version, ApiMessage message) {

    /**
     * The answer that tells the client the whole request failed, in the form of its API: the code once, or for every topic,
     * partition or group that was asked for.
     *
     * <p>Costs an encoding and a decoding of the request without its records; for failures only.
     *
     * @param failure what {@code Errors.exception()} gives
     * @throws IllegalStateException when the client expects no response
     */
    public ApiMessage errorResponse(Throwable failure) {
        if (!expectsResponse()) {
            throw new IllegalStateException("The client expects no response");
        }
        ApiMessage request = message;
        if (request instanceof ProduceRequestData produce) {
            ProduceRequestData bare = produce.duplicate();
            bare.topicData()
                    .forEach(topic ->
                            topic.partitionData().forEach(partition -> partition.setRecords(MemoryRecords.EMPTY)));
            request = bare;
        }
        return AbstractRequest.parseRequest(key, version, MessageUtil.toByteBufferAccessor(request, version))
                .request
                .getErrorResponse(0, failure)
                .data();
    }

    /** Whether the client waits for an answer: always, but for Produce with acks=0. */
    public boolean expectsResponse() {
        return !(message instanceof ProduceRequestData produce && produce.acks() == 0);
    }
}
