package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkServiceException;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/** The one translation of what Iceberg, Parquet, Hadoop, the AWS SDK and the file system throw. */
final class ArchiveFailures {

    private ArchiveFailures() {}

    /**
     * The failure of a call.
     *
     * @param what was tried, to begin the message with
     */
    static ColdTierException of(String what, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = next(cause)) {
            if (cause instanceof ColdTierException known) {
                return known;
            }
            if (cause instanceof FencedCommitException) {
                return failed(Kind.FENCED, what, cause, failure);
            }
        }
        Throwable telling = failure;
        Kind kind = null;
        for (Throwable cause = failure; cause != null && kind == null; cause = next(cause)) {
            kind = kind(cause);
            telling = cause;
        }
        return failed(kind == null ? Kind.UNAVAILABLE : kind, what, kind == null ? root(failure) : telling, failure);
    }

    private static ColdTierException failed(Kind kind, String what, Throwable telling, Throwable failure) {
        String text = telling.getMessage() == null || telling.getMessage().isEmpty()
                ? telling.getClass().getSimpleName()
                : telling.getMessage();
        String system = words(telling);
        if (!text.contains(system)) {
            text += ": " + system;
        }
        String lacking = telling instanceof SdkClientException client ? lacks(client) : "";
        return new ColdTierException(
                kind,
                what + ": " + (lacking.isEmpty() ? text + advice(telling) : lacking + " (" + text + ")"),
                failure);
    }

    /** What the system said, if it is the file system's failure that Iceberg or Parquet told in their own words. */
    private static String words(Throwable telling) {
        String words = "";
        for (Throwable cause = telling; cause != null; cause = next(cause)) {
            if (cause instanceof IOException && cause.getMessage() != null) {
                words = cause.getMessage();
            }
        }
        return words;
    }

    private static @Nullable Kind kind(Throwable cause) {
        if (cause instanceof NoSuchKeyException
                || cause instanceof NotFoundException
                || cause instanceof NoSuchTableException
                || cause instanceof NoSuchFileException
                || cause instanceof FileNotFoundException
                || cause instanceof ValidationException) {
            return Kind.CORRUPT;
        }
        if (cause instanceof SdkServiceException service) {
            int status = service.statusCode();
            return status >= 300 && status < 500 && status != 408 && status != 429 && status != 409
                    ? Kind.REFUSED
                    : Kind.UNAVAILABLE;
        }
        if (cause instanceof SdkClientException client) {
            return lacks(client).isEmpty() ? Kind.UNAVAILABLE : Kind.REFUSED;
        }
        if (cause instanceof AccessDeniedException
                || cause instanceof ForbiddenException
                || cause instanceof NotAuthorizedException
                || cause instanceof NoClassDefFoundError) {
            return Kind.REFUSED;
        }
        return null;
    }

    private static String advice(Throwable telling) {
        if (telling instanceof SdkClientException) {
            return "; expected an object store that answers (korvet.storage.remote.s3.endpoint and .region)";
        }
        if (telling instanceof AwsServiceException service) {
            return switch (service.statusCode()) {
                case 301, 307, 400 ->
                    "; expected the bucket's own region in korvet.storage.remote.s3.region, and "
                            + "korvet.storage.remote.s3.path-style-access where the store needs it";
                case 401, 403 ->
                    "; expected credentials that may list, get, put and delete there "
                            + "(korvet.storage.remote.s3.access-key-id and .secret-access-key, or the machine's role)";
                case 404 -> "; expected an existing bucket: create it, or correct korvet.storage.remote.path";
                default -> "";
            };
        }
        String jar = MissingJars.advice(telling);
        return jar.isEmpty() ? "" : "; " + jar;
    }

    /** What a client misses before it can call at all; empty when it is something else. */
    private static String lacks(SdkClientException client) {
        String message = String.valueOf(client.getMessage());
        if (message.contains("region")) {
            return "no region is set; expected korvet.storage.remote.s3.region, AWS_REGION or a profile to name one";
        }
        if (message.contains("credentials")) {
            return "no credentials were found; expected korvet.storage.remote.s3.access-key-id and .secret-access-key, or "
                    + "credentials in the environment, a profile or the machine's role";
        }
        return "";
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        Throwable next = next(root);
        while (next != null && (root.getMessage() == null || wraps(root))) {
            root = next;
            next = next(root);
        }
        return root;
    }

    private static boolean wraps(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException;
    }

    private static @Nullable Throwable next(Throwable failure) {
        return failure.getCause() == failure ? null : failure.getCause();
    }
}
