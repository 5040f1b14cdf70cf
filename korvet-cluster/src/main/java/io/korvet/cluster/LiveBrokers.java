package io.korvet.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Judges by the registry's rows, and the marks among the signs of life, which brokers live. Not thread-safe. */
final class LiveBrokers {

    private static final Logger LOGGER = LoggerFactory.getLogger(LiveBrokers.class);

    private final BrokerNode self;
    private final Liveness liveness;
    private final @Nullable SignWatch signs;
    private final MembershipObserver observer;
    /** Whose row became stale while they were in the view. */
    private final Set<Integer> aged = new HashSet<>();

    LiveBrokers(BrokerNode self, Liveness liveness, @Nullable SignWatch signs, MembershipObserver observer) {
        this.self = self;
        this.liveness = liveness;
        this.signs = signs;
        this.observer = observer;
    }

    /** The live brokers among those with a row, and this one, whatever its row. */
    List<BrokerNode> among(Map<String, String> rows, ClusterView before, long nowMilliseconds) {
        List<BrokerNode> nodes = new ArrayList<>();
        nodes.add(self.at(nowMilliseconds));
        rows.forEach((member, text) -> {
            BrokerNode node = BrokerNodeRow.read(member, text);
            if (node == null) {
                LOGGER.atDebug()
                        .addKeyValue("brokerId", member)
                        .log("a row of the broker registry can't be read and is passed over");
            } else if (node.id() != self.id() && lives(node, text, before, nowMilliseconds)) {
                nodes.add(node);
            }
        });
        return nodes;
    }

    private boolean lives(BrokerNode node, String row, ClusterView before, long nowMilliseconds) {
        boolean fresh =
                liveness.isAlive(Integer.toString(node.id()), row, node.heartbeatMilliseconds(), nowMilliseconds);
        if (signs != null && signs.isDeclaredDead(node)) {
            return false;
        }
        if (fresh) {
            aged.remove(node.id());
        } else if (before.find(node.id()) != null && aged.add(node.id())) {
            observer.declaredDead(node.id(), Evidence.AGE);
            LOGGER.atWarn()
                    .addKeyValue("brokerId", node.id())
                    .addKeyValue("evidence", Evidence.AGE)
                    .log("a broker is dead: its partitions and groups go to others");
        }
        return fresh;
    }

    /** What an epoch stands for: the ids, rising. */
    static String members(List<BrokerNode> nodes) {
        return nodes.stream()
                .map(BrokerNode::id)
                .sorted()
                .map(id -> Integer.toString(id))
                .collect(Collectors.joining(","));
    }
}
