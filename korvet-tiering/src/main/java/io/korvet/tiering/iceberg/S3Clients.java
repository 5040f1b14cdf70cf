package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ArchiveSettings.S3;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.aws.s3.S3FileIOAwsClientFactory;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * Builds the S3 clients of an archive. Every call of theirs ends in time: an attempt after half the call timeout, a call
 * with its retries (exponential backoff with jitter) after all of it. What isn't given, region and credentials, comes
 * from the AWS SDK's default chains. Made by Iceberg by name, too, from properties of the same names as Iceberg's.
 */
public final class S3Clients implements S3FileIOAwsClientFactory {

    private static final long serialVersionUID = 1;

    private static final String REGION = "client.region";
    private static final String ENDPOINT = "s3.endpoint";
    private static final String PATH_STYLE = "s3.path-style-access";
    private static final String ACCESS_KEY = "s3.access-key-id";
    private static final String SECRET_KEY = "s3.secret-access-key";
    private static final String SESSION_TOKEN = "s3.session-token";
    private static final String CALL_TIMEOUT = "korvet.call-timeout-ms";

    private static final int ATTEMPTS = 5;
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    private HashMap<String, String> properties = new HashMap<>();

    /** Knows nothing before {@link #initialize}. */
    public S3Clients() {}

    /** An archive's settings as properties for Iceberg's S3 files. */
    static Map<String, String> properties(ArchiveSettings settings) {
        S3 s3 = settings.s3();
        check(s3);
        Map<String, String> properties = new HashMap<>();
        put(properties, REGION, s3.region());
        put(properties, ENDPOINT, s3.endpoint());
        put(properties, PATH_STYLE, Boolean.toString(s3.pathStyleAccess()));
        put(properties, ACCESS_KEY, s3.accessKeyId());
        put(properties, SECRET_KEY, s3.secretAccessKey());
        put(properties, CALL_TIMEOUT, Long.toString(settings.callTimeout().toMillis()));
        put(properties, "s3.client-factory-impl", S3Clients.class.getName());
        // Small parts, so that one fits an attempt's time on a slow line.
        put(properties, "s3.multipart.part-size-bytes", Integer.toString(8 << 20));
        put(properties, "s3.multipart.num-threads", "2");
        put(properties, "init-creation-stacktrace", "false");
        return properties;
    }

    private static void check(S3 s3) {
        if ((s3.accessKeyId() == null) != (s3.secretAccessKey() == null)) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "korvet.storage.remote.s3.access-key-id and korvet.storage.remote.s3.secret-access-key: one without "
                            + "the other; expected both, or neither to use the machine's own credentials");
        }
        String endpoint = s3.endpoint();
        if (endpoint != null && !endpoint.isEmpty() && !endpoint.matches("https?://[^/\\s]+/?")) {
            throw new ColdTierException(
                    Kind.REFUSED,
                    "korvet.storage.remote.s3.endpoint '" + endpoint + "': expected http://host:port or https://host");
        }
    }

    private static void put(Map<String, String> properties, String key, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            properties.put(key, value);
        }
    }

    @Override
    public void initialize(Map<String, String> given) {
        properties = new HashMap<>(given);
    }

    /** A client of the properties, to be closed by the caller. */
    @Override
    public S3Client s3() {
        Duration call = Duration.ofMillis(Long.parseLong(properties.getOrDefault(CALL_TIMEOUT, "30000")));
        Duration attempt = call.dividedBy(2);
        Duration connect = attempt.compareTo(LONGEST_CONNECT) < 0 ? attempt : LONGEST_CONNECT;
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(connect)
                        .socketTimeout(attempt))
                .overrideConfiguration(configuration -> configuration
                        .apiCallTimeout(call)
                        .apiCallAttemptTimeout(attempt)
                        .retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder()
                                .maxAttempts(ATTEMPTS)
                                .build()))
                .forcePathStyle(Boolean.parseBoolean(properties.getOrDefault(PATH_STYLE, "false")));
        String endpoint = properties.get(ENDPOINT);
        if (endpoint != null) {
            // Stores other than AWS know the older checksums at least.
            builder.endpointOverride(URI.create(endpoint))
                    .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                    .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
        }
        String region = properties.get(REGION);
        if (region != null) {
            builder.region(Region.of(region));
        }
        AwsCredentials credentials = credentials();
        if (credentials != null) {
            builder.credentialsProvider(StaticCredentialsProvider.create(credentials));
        }
        return builder.build();
    }

    private @Nullable AwsCredentials credentials() {
        String accessKey = properties.get(ACCESS_KEY);
        String secretKey = properties.get(SECRET_KEY);
        if (accessKey == null || secretKey == null) {
            return null;
        }
        String token = properties.get(SESSION_TOKEN);
        return token == null
                ? AwsBasicCredentials.create(accessKey, secretKey)
                : AwsSessionCredentials.create(accessKey, secretKey, token);
    }

    @Override
    public S3AsyncClient s3Async() {
        throw new IllegalStateException("the archive has no asynchronous S3 client: take s3.crt.enabled and "
                + "s3.analytics-accelerator.enabled out of korvet.storage.remote.iceberg.catalog.*");
    }
}
