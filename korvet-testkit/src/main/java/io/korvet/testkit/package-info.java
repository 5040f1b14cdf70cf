/** A real Korvet broker with a real Redis for tests: in this JVM, by a JUnit extension, or in a container. */
@NullMarked
package io.korvet.testkit;

import org.jspecify.annotations.NullMarked;
