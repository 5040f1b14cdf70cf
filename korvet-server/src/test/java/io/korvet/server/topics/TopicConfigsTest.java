package io.korvet.server.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.TimeEncoding;
import io.korvet.server.topics.TopicConfigs.RemoteTier;
import io.korvet.tiering.Retention;
import io.korvet.tiering.TierPolicy;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicConfigsTest {

    private final TopicConfigs configs = new TopicConfigs(RemoteTier.ABSENT);

    @Test
    void theDefaultsAreThoseOfTheDocumentation() {
        assertThat(configs.settings("orders", Map.of()))
                .isEqualTo(new TopicSettings(
                        new TimeEncoding(10),
                        604_800_000,
                        -1,
                        604_800_000,
                        -1,
                        false,
                        86_400_000,
                        134_217_728,
                        1_048_588,
                        false,
                        Long.MAX_VALUE,
                        3_600_000,
                        "producer",
                        1,
                        false,
                        true));
    }

    @Test
    void everyDefaultIsValidAndEverySettingIsDocumented() {
        HashSet<String> names = new HashSet<>();
        for (TopicSetting setting : configs.all()) {
            assertThat(setting.parse(setting.defaultValue())).isNotNull();
            assertThat(setting.documentation()).endsWith(".").hasSizeGreaterThan(20);
            assertThat(names.add(setting.name())).as(setting.name()).isTrue();
        }
        assertThat(names).hasSizeGreaterThan(30);
    }

    @ParameterizedTest
    @CsvSource({
        "retention.ms,-2",
        "retention.ms,7d",
        "segment.ms,0",
        "segment.bytes,3000000000",
        "max.message.bytes,-1",
        "message.timestamp.type,Created",
        "compression.type,brotli",
        "min.insync.replicas,0",
        "cleanup.policy,'delete,shred'",
        "offset.encoding,sparse",
        "offset.sequence.bits,17",
        "offset.sequence.bits,0",
        "min.cleanable.dirty.ratio,1.5",
        "remote.storage.enable,maybe"
    })
    void aBadValueIsNamedWithItsSetting(String name, String value) {
        assertThat(configs.problemOnCreate(Map.of(name, value))).contains(name);
    }

    @Test
    void everythingThatIsWrongIsFoundAndTheDefaultsAreRight() {
        assertThat(configs.problems(Map.of())).isEmpty();
        assertThat(new TopicConfigs(RemoteTier.CONFIGURED).problems(Map.of())).isEmpty();
        assertThat(configs.problems(Map.of(
                        "segment.bytes", "0",
                        "retention.ms", "soon",
                        "min.compaction.lag.ms", "10",
                        "max.compaction.lag.ms", "5",
                        "remote.storage.enable", "true",
                        "cleanup.policy", "compact")))
                .extracting(problem -> problem.settings().get(0))
                .containsExactlyInAnyOrder(
                        "segment.bytes",
                        "retention.ms",
                        "remote.storage.enable",
                        "cleanup.policy",
                        "min.compaction.lag.ms");
    }

    @ParameterizedTest
    @CsvSource({
        "segment.bytes,a whole number from 14 to 2147483647",
        "retention.ms,a whole number from -1 to 9223372036854775807",
        "offset.sequence.bits,a whole number from 1 to 16",
        "min.cleanable.dirty.ratio,a number from 0 to 1",
        "offset.encoding,one of time dense",
        "cleanup.policy,a list of compact and delete",
        "remote.storage.enable,true or false",
        "leader.replication.throttled.replicas,a list"
    })
    void whatIsExpectedOfAValueIsSaid(String name, String expected) {
        assertThat(Objects.requireNonNull(configs.setting(name)).expected()).isEqualTo(expected);
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThat(configs.problemOnCreate(Map.of("retention", "1"))).contains("Unknown topic config name: retention");
    }

    @Test
    void settingsWithoutEffectAreAcceptedAndChecked() {
        assertThat(configs.problemOnCreate(Map.of("flush.ms", "1000", "preallocate", "true")))
                .isNull();
        assertThat(configs.problemOnCreate(Map.of("flush.ms", "often"))).contains("flush.ms");
    }

    @Test
    void theEncodingOfOffsetsIsFixedAtCreation() {
        assertThat(configs.settings("orders", Map.of("offset.encoding", "dense"))
                        .encoding())
                .isEqualTo(new DenseEncoding());
        assertThat(configs.settings("orders", Map.of("offset.sequence.bits", "12"))
                        .encoding())
                .isEqualTo(new TimeEncoding(12));
        assertThat(configs.problemOnChange(Map.of(), Map.of("offset.encoding", "dense")))
                .contains("fixed when the topic is created");
        assertThat(configs.problemOnChange(Map.of("offset.sequence.bits", "12"), Map.of()))
                .contains("offset.sequence.bits");
        assertThat(configs.problemOnChange(Map.of(), Map.of("offset.sequence.bits", "10")))
                .isNull();
    }

    @Test
    void theRemoteTierMustBeThereToBeEnabled() {
        Map<String, String> enabled = Map.of("remote.storage.enable", "true");

        assertThat(configs.problemOnCreate(enabled)).contains("no remote tier");
        assertThat(configs.problemOnChange(enabled, enabled)).isNull();
        assertThat(new TopicConfigs(RemoteTier.CONFIGURED).problemOnCreate(enabled))
                .isNull();
    }

    @Test
    void localRetentionMustNotExceedTheWholeOfATieredTopic() {
        TopicConfigs tiered = new TopicConfigs(RemoteTier.CONFIGURED);

        assertThat(tiered.problemOnCreate(
                        Map.of("remote.storage.enable", "true", "retention.ms", "1000", "local.retention.ms", "1001")))
                .contains("local.retention.ms");
        assertThat(tiered.problemOnCreate(Map.of(
                        "remote.storage.enable", "true", "retention.bytes", "10", "local.retention.bytes", "-1")))
                .contains("local.retention.bytes");
        assertThat(tiered.problemOnCreate(Map.of("retention.ms", "1000", "local.retention.ms", "1001")))
                .isNull();
    }

    @Test
    void compactedTopicsCannotBeTiered() {
        TopicConfigs tiered = new TopicConfigs(RemoteTier.CONFIGURED);
        String refusal = "Remote log storage is unsupported for the compacted topics";

        assertThat(tiered.problemOnCreate(Map.of("remote.storage.enable", "true", "cleanup.policy", "compact,delete")))
                .isEqualTo(refusal);
        assertThat(tiered.problemOnChange(
                        Map.of("remote.storage.enable", "true"),
                        Map.of("remote.storage.enable", "true", "cleanup.policy", "compact")))
                .isEqualTo(refusal);
        assertThat(tiered.problemOnCreate(Map.of("cleanup.policy", "compact"))).isNull();
    }

    @Test
    void settingsSayWhatBecomesOfSegmentsInBothTiers() {
        assertThat(configs.settings(
                                "orders",
                                Map.of(
                                        "remote.storage.enable", "true",
                                        "retention.ms", "1000",
                                        "retention.bytes", "50",
                                        "local.retention.ms", "100",
                                        "segment.ms", "10"))
                        .tierPolicy())
                .isEqualTo(new TierPolicy(
                        10, new Retention(100, 50), new Retention(1000, 50), TierPolicy.Tiering.ENABLED));
        assertThat(configs.settings("orders", Map.of("retention.ms", "1000", "local.retention.ms", "100"))
                        .tierPolicy()
                        .tiering())
                .isEqualTo(TierPolicy.Tiering.DISABLED);
        assertThat(configs.settings("orders", Map.of("cleanup.policy", "compact", "segment.ms", "7"))
                        .tierPolicy())
                .isEqualTo(TierPolicy.localOnly(7, Retention.FOREVER));
    }

    @Test
    void compactionLagsMustNotContradictEachOther() {
        assertThat(configs.problemOnCreate(Map.of("min.compaction.lag.ms", "10", "max.compaction.lag.ms", "5")))
                .contains("min.compaction.lag.ms");
    }

    @Test
    void compactionIsAccepted() {
        assertThat(configs.problemOnCreate(Map.of("cleanup.policy", "compact,delete")))
                .isNull();
        TopicSettings settings = configs.settings("orders", Map.of("cleanup.policy", "compact"));
        assertThat(settings.compacted()).isTrue();
        assertThat(settings.deleted()).isFalse();
    }

    @Test
    void storedValuesThatAreNotUnderstoodAreReadAsDefaults() {
        assertThat(configs.settings("orders", Map.of("retention.ms", "soon", "from.the.future", "1")))
                .isEqualTo(configs.settings("orders", Map.of()));
    }
}
