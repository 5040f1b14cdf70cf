package io.korvet.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.korvet.protocol.ApiCatalog;
import io.korvet.server.handler.ApiVersionsHandler;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

class HandlerTableTest {

    private final ApiCatalog catalog = ApiCatalog.SERVED.only(Set.of(ApiKeys.API_VERSIONS));
    private final ApiVersionsHandler handler = new ApiVersionsHandler(catalog);

    @Test
    void findsTheHandlerOfAKey() {
        assertThat(new HandlerTable(catalog, List.of(handler))
                        .handler(ApiKeys.API_VERSIONS)
                        .key())
                .isEqualTo(ApiKeys.API_VERSIONS);
    }

    @Test
    void aServedApiWithoutHandlerStopsTheStart() {
        ApiCatalog two = ApiCatalog.SERVED.only(Set.of(ApiKeys.API_VERSIONS, ApiKeys.FETCH));
        assertThatIllegalStateException()
                .isThrownBy(() -> new HandlerTable(two, List.of(handler)))
                .withMessageContaining("without handler [FETCH]");
    }

    @Test
    void aHandlerWithoutARowAndASecondOneStopTheStart() {
        assertThatIllegalStateException()
                .isThrownBy(() -> new HandlerTable(ApiCatalog.SERVED.only(Set.of()), List.of(handler)))
                .withMessageContaining("not in the catalog [API_VERSIONS]");
        assertThatIllegalStateException()
                .isThrownBy(() -> new HandlerTable(catalog, List.of(handler, handler)))
                .withMessageContaining("two handlers [API_VERSIONS]");
    }
}
