package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.it.archive.Archive;
import io.korvet.it.broker.KorvetBroker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A broker without storage worker and a storage worker without broker, each in a process of its own. */
class SeparateWorkerIT extends ObjectStoreBehaviour {

    @Override
    List<String> settings() {
        List<String> settings = new ArrayList<>(super.settings());
        settings.add("korvet.storage.worker.enabled=false");
        return settings;
    }

    @Test
    void theWorkerArchivesAndTheBrokerReads() {
        String topic = tieredTopic();
        produce(topic, numbers(0, 200));
        List<String> ofWorker = new ArrayList<>(super.settings());
        ofWorker.add("korvet.broker.enabled=false");
        try (KorvetBroker worker = KorvetBroker.over(redis(), ofWorker.toArray(String[]::new))) {
            worker.start();
            awaitDropped(topic, 1);
            assertThat(worker.page("/actuator/prometheus")).contains("korvet_storage_worker_up 1.0");
            assertThat(korvet().page("/actuator/prometheus")).contains("korvet_storage_worker_up 0.0");
            worker.stop();
        }
        assertThat(values(readAll(topic, 200))).isEqualTo(numbers(0, 200));
        assertThat(archive().rows(topic)).extracting(Archive.Row::value).isEqualTo(numbers(0, 200));
    }

    @Test
    void aTierThatRefusesStopsTheStartWithWhatToDo() {
        assertThat(KorvetBroker.refusedStart(redis(), with("korvet.storage.remote.path=s3://no-such-bucket/korvet")))
                .contains("korvet.storage.remote.path = s3://no-such-bucket/korvet", "bucket")
                .doesNotContain("\tat ")
                .doesNotContain("is tried again");
        assertThat(KorvetBroker.refusedStart(redis(), with("korvet.storage.remote.s3.secret-access-key=wrong")))
                .contains("korvet.storage.remote")
                .doesNotContain("\tat ");
        assertThat(KorvetBroker.refusedStart(redis(), with("korvet.storage.remote.path=s4://bucket")))
                .contains("expected s3://bucket/prefix, or file:///directory")
                .doesNotContain("\tat ");
        assertThat(KorvetBroker.refusedStart(redis(), with("korvet.storage.remote.path=file:///dev/null/archive")))
                .contains("korvet.storage.remote.path = file:///dev/null/archive")
                .doesNotContain("\tat ");
        String tooLong = "a".repeat(300);
        assertThat(KorvetBroker.refusedStart(redis(), with("korvet.storage.remote.path=file:///tmp/" + tooLong)))
                .contains("the directory can't be made, File name too long")
                .doesNotContain("\tat ");
    }

    private String[] with(String last) {
        List<String> settings = new ArrayList<>(super.settings());
        settings.add(last);
        return settings.toArray(String[]::new);
    }
}
