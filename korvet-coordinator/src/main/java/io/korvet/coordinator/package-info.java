/**
 * Consumer groups: the classic Kafka group protocol as a deterministic machine, with one writer per group and committed
 * positions behind a port. Nothing of the wire, of sockets or of the cluster is known here.
 */
@NullMarked
package io.korvet.coordinator;

import org.jspecify.annotations.NullMarked;
