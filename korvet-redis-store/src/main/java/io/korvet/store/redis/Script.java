package io.korvet.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Lua scripts, each a resource beside this class and named after what it does. */
enum Script {
    APPEND,
    CREATE_LOG,
    DELETE_LOG,
    LOG_STATE,
    TOUCH_WRITER,
    CONFIRM_COPIES,
    TRUNCATE,
    SEAL_SEGMENT,
    MOVE_SEGMENT,
    REMOVE_SEGMENT,
    PRUNE_WRITERS,
    SET_TOPIC,
    LIST_TOPICS,
    COMMIT_OFFSETS,
    REMOVE_OFFSETS,
    CLAIM_GROUP,
    SAVE_GROUP,
    DELETE_GROUP,
    SET_ROW,
    LOOK_AT_SIGNS,
    REPLACE_SIGN,
    AGREE_ON_EPOCH,
    ACQUIRE_LEASE,
    RELEASE_LEASE,
    POSITION_GROUP,
    REMOVE_GROUP;

    private final String source;
    private final String sha;

    Script() {
        source = load(name().toLowerCase(Locale.ROOT).replace('_', '-') + ".lua");
        try {
            sha = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-1, which names scripts in Redis", e);
        }
    }

    /** The text as it is loaded into Redis. */
    String source() {
        return source;
    }

    /** The name under which Redis knows it. */
    String sha() {
        return sha;
    }

    private static String load(String resource) {
        try (InputStream in = Script.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("script " + resource + " is missing from the jar");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Pattern.compile("(?m)^--@include (\\S+)$")
                    .matcher(text)
                    .replaceAll(found ->
                            Matcher.quoteReplacement(load(found.group(1)).stripTrailing()));
        } catch (IOException e) {
            throw new UncheckedIOException("script " + resource, e);
        }
    }
}
