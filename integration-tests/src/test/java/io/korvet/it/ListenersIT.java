package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.FreePorts;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.it.raw.RawConnection;
import java.util.List;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.Test;

/** A broker with two listeners answers each client with the address of the listener it came through. */
class ListenersIT {

    @Test
    void clientsAreSentToTheListenerTheyCameThrough() {
        assumeThat(BrokerUnderTest.kind()).as("Korvet's settings").isEqualTo(Kind.KORVET);
        int port = FreePorts.next();
        try (KorvetBroker broker = KorvetBroker.ephemeral(
                "korvet.broker.listeners[0].name=outside",
                "korvet.broker.listeners[0].port=" + port,
                "korvet.broker.listeners[0].advertised-host=localhost")) {
            broker.start();
            assertAllAddresses(broker.bootstrap(), broker.bootstrap());
            assertAllAddresses("127.0.0.1:" + port, "localhost:" + port);
        }
    }

    private static void assertAllAddresses(String through, String expected) {
        try (RawConnection connection = RawConnection.open(through)) {
            var metadata =
                    connection.exchange(MetadataResponseData.class, new MetadataRequestData().setTopics(List.of()), 12);
            assertThat(metadata.brokers())
                    .singleElement()
                    .satisfies(
                            each -> assertThat(each.host() + ":" + each.port()).isEqualTo(expected));
            var cluster = connection.exchange(DescribeClusterResponseData.class, new DescribeClusterRequestData(), 0);
            assertThat(cluster.brokers())
                    .singleElement()
                    .satisfies(
                            each -> assertThat(each.host() + ":" + each.port()).isEqualTo(expected));
            var coordinator = connection.exchange(
                    FindCoordinatorResponseData.class,
                    new FindCoordinatorRequestData().setCoordinatorKeys(List.of("any")),
                    4);
            assertThat(coordinator.coordinators())
                    .singleElement()
                    .satisfies(
                            each -> assertThat(each.host() + ":" + each.port()).isEqualTo(expected));
        }
    }
}
