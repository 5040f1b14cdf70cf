package io.korvet.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Views, nodes, endpoints and rows. */
class ClusterViewTest {

    static BrokerNode node(int id) {
        return new BrokerNode(id, new Endpoint("broker-" + id, 9092), Map.of(), null, 0);
    }

    @Test
    void aClusterOfOneLeadsAndCoordinatesEverything() {
        ClusterView view = new ClusterView(7, List.of(node(7)));
        assertThat(IntStream.range(0, 100)).allMatch(partition -> view.leads("orders", partition));
        assertThat(view.coordinatorOf("billing").id()).isEqualTo(7);
    }

    @Test
    void brokersAgreeOnLeadersInWhateverOrderTheyLearntOfEachOther() {
        ClusterView one = new ClusterView(1, List.of(node(1), node(2), node(3)));
        ClusterView two = new ClusterView(2, List.of(node(3), node(2), node(1)));
        assertThat(one.nodes()).isEqualTo(two.nodes());
        for (int partition = 0; partition < 100; partition++) {
            assertThat(one.leaderOf("orders", partition)).isEqualTo(two.leaderOf("orders", partition));
            assertThat(one.leads("orders", partition))
                    .isEqualTo(two.leaderOf("orders", partition).id() == 1);
        }
    }

    @Test
    void aViewHasItsOwnBrokerAndNoIdTwice() {
        assertThatThrownBy(() -> new ClusterView(1, List.of(node(2)))).hasMessageContaining("expected distinct ids");
        assertThatThrownBy(() -> new ClusterView(1, List.of(node(1), node(1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new ClusterView(1, List.of(node(1))).find(2)).isNull();
        assertThat(new ClusterView(1, List.of(node(1))).leaderEpoch()).isZero();
        assertThat(new ClusterView(1, List.of(node(1)), 5).leaderEpoch()).isEqualTo(5);
    }

    @Test
    void aListenerThatABrokerLacksFallsBackToItsPrimaryEndpoint() {
        Endpoint primary = new Endpoint("korvet", 9092);
        Endpoint host = new Endpoint("localhost", 29092);
        BrokerNode node = new BrokerNode(0, primary, Map.of("host", host), null, 0);
        assertThat(node.endpoint("host")).isEqualTo(host);
        assertThat(node.endpoint("broker")).isEqualTo(primary);
        assertThat(node.endpoint("other")).isEqualTo(primary);
    }

    @Test
    void wrongNodesAndEndpointsAreRefused() {
        Endpoint endpoint = new Endpoint("::1", 9092);
        assertThat(endpoint).hasToString("[::1]:9092");
        assertThatThrownBy(() -> new Endpoint("korvet", 0)).hasMessageContaining("1 to 65535");
        assertThatThrownBy(() -> new Endpoint(" ", 1)).hasMessageContaining("empty host");
        assertThatThrownBy(() -> new BrokerNode(-1, endpoint, Map.of(), null, 0))
                .hasMessageContaining(">= 0");
        assertThatThrownBy(() -> new BrokerNode(0, endpoint, Map.of("broker", endpoint), null, 0))
                .hasMessageContaining("reserved");
    }

    @Test
    void aRowIsPlainJsonThatIsReadBackAsWritten() {
        BrokerNode node = new BrokerNode(
                3, new Endpoint("korvet-3", 9092), Map.of("host", new Endpoint("localhost", 29092)), "rack-a", 17);
        String row = BrokerNodeRow.write(node);
        assertThat(row)
                .isEqualTo("{\"host\":\"korvet-3\",\"port\":9092,"
                        + "\"listeners\":{\"host\":{\"host\":\"localhost\",\"port\":29092}},\"rack\":\"rack-a\","
                        + "\"heartbeat\":17}");
        assertThat(BrokerNodeRow.read("3", row)).isEqualTo(node);
        assertThat(BrokerNodeRow.read("1", BrokerNodeRow.write(node(1)))).isEqualTo(node(1));
    }

    @Test
    void aRowOfALaterVersionIsReadAndOneThatIsNoneIsNot() {
        assertThat(BrokerNodeRow.read("4", "{\"host\":\"h\",\"port\":1,\"heartbeat\":2,\"zone\":{}}"))
                .isEqualTo(new BrokerNode(4, new Endpoint("h", 1), Map.of(), null, 2));
        assertThat(BrokerNodeRow.read("x", "{\"host\":\"h\",\"port\":1,\"heartbeat\":2}"))
                .isNull();
        assertThat(BrokerNodeRow.read("4", "{\"port\":1,\"heartbeat\":2}")).isNull();
        assertThat(BrokerNodeRow.read("4", "null")).isNull();
        assertThat(BrokerNodeRow.read("4", "nonsense")).isNull();
    }
}
