package io.korvet.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

class ApiCatalogTest {

    @Test
    void servesWhatKafkaServesInStableVersions() {
        assertThat(ApiCatalog.SERVED.apis()).allSatisfy(api -> {
            assertThat(api.minimum()).isEqualTo(api.key().oldestVersion());
            assertThat(api.maximum()).isEqualTo(api.key().latestVersion(false));
        });
    }

    @Test
    void produceIsAdvertisedFromZeroAndServedFromThree() {
        ApiCatalog.Api produce = new ApiCatalog.Api(ApiKeys.PRODUCE, (short) 3, (short) 13, (short) 0);
        assertThat(ApiCatalog.SERVED.api(ApiKeys.PRODUCE)).isEqualTo(produce);
        assertThat(produce.serves((short) 2)).isFalse();
        assertThat(produce.serves((short) 3)).isTrue();
        assertThat(produce.serves((short) 14)).isFalse();
    }

    @Test
    void canBeNarrowed() {
        ApiCatalog narrow = ApiCatalog.SERVED.only(Set.of(ApiKeys.FETCH, ApiKeys.VOTE));
        assertThat(narrow.apis()).extracting(ApiCatalog.Api::key).containsExactly(ApiKeys.FETCH);
        assertThat(narrow.api(ApiKeys.PRODUCE)).isNull();
    }

    @Test
    void refusesVersionsThatDoNotExist() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ApiCatalog.Api(ApiKeys.FETCH, (short) 3, (short) 18, (short) 3));
    }

    @Test
    void rendersMarkdown() {
        assertThat(ApiCatalog.SERVED
                        .only(Set.of(ApiKeys.PRODUCE, ApiKeys.OFFSET_DELETE))
                        .toMarkdown())
                .isEqualTo("""
                        | API | key | versions | advertised |
                        | --- | ---: | --- | --- |
                        | Produce | 0 | 3-13 | 0-13 |
                        | OffsetDelete | 47 | 0 | 0 |
                        """);
    }
}
