package io.korvet.store.redis;

import io.korvet.store.StoreException;
import io.korvet.store.StoreException.Kind;
import io.korvet.store.StoreNotReadyException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisLoadingException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The one translation from what Redis and the driver report to {@link StoreException}. */
final class DriverFailures {

    private static final List<String> SCRIPT_PREFIXES = List.of("ERR Error running script", "@user_script");
    private static final Pattern CODE_IN_SCRIPT =
            Pattern.compile("\\b(OOM|WRONGTYPE|NOPERM|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|MASTERDOWN)\\b");

    /** What Netty puts before the system's words. */
    private static final Pattern NATIVE_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

    private DriverFailures() {}

    /** An error that Redis answered. */
    static StoreException answered(String error, String call) {
        String code = code(error);
        Kind kind = switch (code) {
            case "OOM" -> Kind.OUT_OF_MEMORY;
            case "LOADING",
                    "BUSY",
                    "TRYAGAIN",
                    "CLUSTERDOWN",
                    "MASTERDOWN",
                    "MISCONF",
                    "NOREPLICAS",
                    "UNBLOCKED",
                    "READONLY",
                    "MOVED",
                    "ASK" -> Kind.UNAVAILABLE;
            default -> Kind.REFUSED;
        };
        return new StoreException(kind, call + ": Redis answered '" + error + "'");
    }

    /** No answer came. */
    static StoreException lost(Throwable cause, RedisCall<?> call, boolean sent) {
        if (cause instanceof StoreException known) {
            return known;
        }
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        if (sent && call.effect() == RedisCall.Effect.CHANGES) {
            return new StoreException(
                    Kind.OUTCOME_UNKNOWN, call.name() + ": sent, and the connection was lost (" + reason + ")", cause);
        }
        return new StoreException(Kind.UNAVAILABLE, call.name() + ": Redis can't be reached (" + reason + ")", cause);
    }

    /**
     * What to tell of a server that is known to be there and can't be used: that it isn't ready, unless it refuses us.
     */
    static Throwable unready(Throwable failure) {
        return chain(failure).anyMatch(DriverFailures::isRefusal)
                ? failure
                : new StoreNotReadyException(String.valueOf(root(failure).getMessage()), failure);
    }

    private static boolean isRefusal(Throwable failure) {
        return failure instanceof StoreException known
                ? known.kind() == Kind.REFUSED
                : failure instanceof RedisCommandExecutionException && !isNotReady(failure);
    }

    /** Whether a server answered that it can't be used yet. */
    static boolean isNotReady(Throwable failure) {
        return failure instanceof StoreNotReadyException
                || failure instanceof RedisLoadingException
                || failure instanceof RedisBusyException
                || (failure instanceof StoreException known && known.kind() == Kind.UNAVAILABLE);
    }

    /** Whether sentinels answered and the master that they name didn't. */
    static boolean isMasterAway(Throwable failure) {
        Throwable root = root(failure);
        return (root instanceof IOException || root instanceof RedisCommandTimeoutException)
                && chain(failure)
                        .noneMatch(each ->
                                String.valueOf(each.getMessage()).startsWith("Cannot connect to a Redis Sentinel"));
    }

    /** A failure and what caused it, the outermost first. */
    static Stream<Throwable> chain(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
    }

    /** The innermost cause that says something; of a connection refused, the one that names the address. */
    static Throwable root(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null
                && !(cause instanceof ConnectException)
                && (cause instanceof CompletionException || cause.getCause().getMessage() != null)) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** What the innermost cause says, in words that name no more than an address. */
    static String reason(Throwable failure) {
        Throwable root = root(failure);
        String message = root.getMessage();
        return message == null
                ? root.getClass().getSimpleName()
                : root instanceof UnknownHostException
                        ? "unknown host " + message
                        : NATIVE_CALL.matcher(message).replaceFirst("");
    }

    static boolean isMissingScript(@Nullable String error) {
        return error != null && error.startsWith("NOSCRIPT");
    }

    /** Whether it comes of a server that takes no writes: a master that became a replica. */
    static boolean isOfReplica(@Nullable String error) {
        return error != null && code(error).equals("READONLY");
    }

    /** Whether another node of a cluster is to be asked; nothing was done then. */
    static boolean isRedirection(@Nullable String error) {
        return error != null && (error.startsWith("MOVED ") || error.startsWith("ASK "));
    }

    /** The first word of an error; Redis before 7 wraps a script's errors, so there it is looked for inside. */
    private static String code(String error) {
        if (SCRIPT_PREFIXES.stream().anyMatch(error::startsWith)) {
            Matcher inside = CODE_IN_SCRIPT.matcher(error);
            return inside.find() ? inside.group(1) : "ERR";
        }
        int space = error.indexOf(' ');
        return space < 0 ? error : error.substring(0, space);
    }
}
