package io.korvet.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.protocol.ApiCatalog;
import io.korvet.protocol.ProtocolException;
import io.korvet.store.StoreException;
import io.korvet.tiering.ColdTierException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorMapperTest {

    @ParameterizedTest
    @EnumSource(StoreException.Kind.class)
    void aStoreFailureIsRetriableForEveryServedApi(StoreException.Kind kind) {
        for (ApiCatalog.Api api : ApiCatalog.SERVED.apis()) {
            Errors error = ErrorMapper.errorOf(
                    api.key(), new CompletionException(new CompletionException(new StoreException(kind, "down"))));
            assertThat(error.exception()).as(api.key().name).isInstanceOf(RetriableException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(ColdTierException.Kind.class)
    void aFailureOfTheColdTierIsRetriable(ColdTierException.Kind kind) {
        assertThat(ErrorMapper.errorOf(ApiKeys.FETCH, new ColdTierException(kind, "away")))
                .isEqualTo(Errors.KAFKA_STORAGE_ERROR);
        assertThat(ErrorMapper.errorOf(ApiKeys.LIST_OFFSETS, new ColdTierException(kind, "away")))
                .isEqualTo(Errors.KAFKA_STORAGE_ERROR);
    }

    @Test
    void kafkasOwnFailuresKeepTheirCodeAndMessage() {
        Throwable failure = new CompletionException(new InvalidTopicException("a bad name"));
        assertThat(ErrorMapper.errorOf(ApiKeys.METADATA, failure)).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(ErrorMapper.exceptionOf(Errors.INVALID_TOPIC_EXCEPTION, failure))
                .hasMessage("a bad name");
    }

    @Test
    void othersHaveTheirCodesAndDoNotShowTheirMessages() {
        assertThat(ErrorMapper.errorOf(ApiKeys.PRODUCE, new ProtocolException(Errors.CORRUPT_MESSAGE, "crc")))
                .isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(ErrorMapper.errorOf(ApiKeys.PRODUCE, new TimeoutException())).isEqualTo(Errors.REQUEST_TIMED_OUT);
        Throwable bug = new IllegalStateException("secret");
        assertThat(ErrorMapper.errorOf(ApiKeys.PRODUCE, bug)).isEqualTo(Errors.UNKNOWN_SERVER_ERROR);
        assertThat(ErrorMapper.exceptionOf(Errors.UNKNOWN_SERVER_ERROR, bug).getMessage())
                .doesNotContain("secret");
    }
}
