/** Configuration: one record tree that mirrors the YAML. */
@NullMarked
package io.korvet.server.config;

import org.jspecify.annotations.NullMarked;
