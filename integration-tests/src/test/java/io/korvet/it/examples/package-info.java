/** The distribution's examples for compose and Kubernetes, read as those tools read them. */
@NullMarked
package io.korvet.it.examples;

import org.jspecify.annotations.NullMarked;
