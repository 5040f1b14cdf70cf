/** Tests of catalog and codecs against kafka-clients' own requests and responses. */
@NullMarked
package io.korvet.protocol;

import org.jspecify.annotations.NullMarked;
