package io.korvet.tiering.iceberg;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Objects in S3. One is created by a put with {@code If-None-Match: *}. The client repeats a put whose answer it didn't
 * get, and may then be told that the object is there: whose it is, its content says.
 */
final class S3Objects implements ObjectStore {

    private static final int PRECONDITION_FAILED = 412;
    private static final int CONFLICT = 409;
    private static final int CONFLICTS = 5;
    private static final long PAUSE_MILLISECONDS = 50;

    private final S3Client client;

    /** Over a client that it closes. */
    S3Objects(S3Client client) {
        this.client = client;
    }

    /** An object's place, taken from {@code s3://bucket/key}. */
    private record Place(String bucket, String key) {
        static Place of(String location) {
            int begin = location.indexOf("://") + 3;
            int slash = location.indexOf('/', begin);
            return new Place(location.substring(begin, slash), location.substring(slash + 1));
        }
    }

    @Override
    public Creation create(String location, byte[] content) {
        PutObjectRequest request = put(location).ifNoneMatch("*").build();
        for (int conflict = 0; conflict < CONFLICTS; conflict++) {
            try {
                client.putObject(request, RequestBody.fromBytes(content));
                return Creation.CREATED;
            } catch (S3Exception e) {
                if (e.statusCode() == PRECONDITION_FAILED) {
                    return settle(location, content, null);
                }
                if (e.statusCode() >= 500) {
                    return settle(location, content, e);
                }
                if (e.statusCode() != CONFLICT) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLISECONDS << conflict));
            } catch (SdkException e) {
                return settle(location, content, e);
            }
        }
        return settle(location, content, null);
    }

    /** Finds out by reading; without an object, a put that failed may still be on its way. */
    private Creation settle(String location, byte[] content, @Nullable SdkException failure) {
        byte[] found;
        try {
            found = read(location);
        } catch (RuntimeException e) {
            if (failure != null) {
                e.addSuppressed(failure);
            }
            throw new CommitStateUnknownException(e);
        }
        if (found == null && failure != null) {
            throw new CommitStateUnknownException(failure);
        }
        return Arrays.equals(found, content) ? Creation.CREATED : Creation.TAKEN;
    }

    @Override
    public void replace(String location, byte[] content) {
        client.putObject(put(location).build(), RequestBody.fromBytes(content));
    }

    private static PutObjectRequest.Builder put(String location) {
        Place place = Place.of(location);
        return PutObjectRequest.builder().bucket(place.bucket).key(place.key);
    }

    @Override
    public byte @Nullable [] read(String location) {
        Place place = Place.of(location);
        try {
            return client.getObjectAsBytes(get -> get.bucket(place.bucket).key(place.key))
                    .asByteArray();
        } catch (NoSuchKeyException e) {
            return null;
        }
    }

    @Override
    public boolean exists(String location) {
        Place place = Place.of(location);
        try {
            return client.headObject(head -> head.bucket(place.bucket).key(place.key)) != null;
        } catch (NoSuchKeyException e) {
            return false;
        }
    }

    @Override
    public List<String> names(String directory) {
        Place place = Place.of(directory);
        return client
                .listObjectsV2Paginator(
                        list -> list.bucket(place.bucket).prefix(place.key).delimiter("/"))
                .contents()
                .stream()
                .map(object -> object.key().substring(place.key.length()))
                .toList();
    }

    @Override
    public boolean hasAny(String directory) {
        Place place = Place.of(directory);
        return !client.listObjectsV2(
                        list -> list.bucket(place.bucket).prefix(place.key).maxKeys(1))
                .contents()
                .isEmpty();
    }

    @Override
    public void delete(String location) {
        Place place = Place.of(location);
        client.deleteObject(delete -> delete.bucket(place.bucket).key(place.key));
    }

    @Override
    public void close() {
        client.close();
    }
}
