package io.korvet.it.scale;

/**
 * How much there is of everything.
 *
 * @param topics how many topics
 * @param partitions how many partitions each of them has
 * @param groups how many consumer groups, each with a commit for every partition of one topic
 * @param seconds how long the idle cluster is watched; as long as a tick of the storage worker
 */
record Size(int topics, int partitions, int groups, int seconds) {

    int allPartitions() {
        return topics * partitions;
    }
}
