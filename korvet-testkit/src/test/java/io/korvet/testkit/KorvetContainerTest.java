package io.korvet.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.testcontainers.utility.DockerImageName;

class KorvetContainerTest {

    @SuppressWarnings("resource") // never started
    private final KorvetContainer container = new KorvetContainer(DockerImageName.parse("korvet:test"));

    @Test
    void clientsAreToldAnAddressThatWorksOutside() {
        String port = container.getEnvMap().get("KORVET_BROKER_PORT");

        assertThat(container.bootstrapServers()).isEqualTo("localhost:" + port);
        assertThat(container.getPortBindings()).containsExactly(port + ":" + port + "/tcp");
        assertThat(container.withAdvertisedHost("docker.example.org").bootstrapServers())
                .isEqualTo("docker.example.org:" + port);
        assertThat(container.getEnvMap()).containsEntry("KORVET_BROKER_ADVERTISED_HOST", "docker.example.org");
    }

    @Test
    void itRunsItsOwnRedisUnlessToldOfAnother() {
        assertThat(container.getCommandParts()).containsExactly("server", "--dev", "--ephemeral");
        container.withRedis("redis://redis:6379");
        assertThat(container.getCommandParts()).containsExactly("server");
        assertThat(container.getEnvMap()).containsEntry("KORVET_REDIS_URI", "redis://redis:6379");
    }

    @Test
    void settingsAndASecondListenerGoByEnvironment() {
        container.withSetting("broker.default-partitions", "3").withNetworkListener("korvet");

        assertThat(container.getEnvMap())
                .containsEntry("KORVET_BROKER_DEFAULT_PARTITIONS", "3")
                .containsEntry("KORVET_BROKER_LISTENERS_0_ADVERTISED_HOST", "korvet");
        assertThat(container.getNetworkAliases()).contains("korvet");
    }
}
