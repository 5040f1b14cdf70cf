package io.korvet.server.handler;

import java.util.EnumSet;
import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;

/** What a client may do, as the bit fields of Metadata, DescribeCluster and DescribeGroups; without ACLs that is everything. */
final class AuthorizedOperations {

    /** The answer for a client that didn't ask. */
    static final int NOT_ASKED = Integer.MIN_VALUE;

    /** Everything that can be done to a topic. */
    static final int TOPIC = bits(EnumSet.of(
            AclOperation.READ,
            AclOperation.WRITE,
            AclOperation.CREATE,
            AclOperation.DELETE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS));

    /** Everything that can be done to the cluster. */
    static final int CLUSTER = bits(EnumSet.of(
            AclOperation.CREATE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE,
            AclOperation.CLUSTER_ACTION,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS,
            AclOperation.IDEMPOTENT_WRITE));

    /** Everything that can be done to a group. */
    static final int GROUP = bits(EnumSet.of(
            AclOperation.READ,
            AclOperation.DELETE,
            AclOperation.DESCRIBE,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS));

    private AuthorizedOperations() {}

    private static int bits(Set<AclOperation> operations) {
        return operations.stream().mapToInt(operation -> 1 << operation.code()).reduce(0, (all, bit) -> all | bit);
    }
}
