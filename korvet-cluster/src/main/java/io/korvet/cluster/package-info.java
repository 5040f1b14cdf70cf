/**
 * Who is alive and who leads what: the broker registry, the views made of it, and the rendezvous hash by which every
 * broker comes to the same answer without asking another.
 */
@NullMarked
package io.korvet.cluster;

import org.jspecify.annotations.NullMarked;
