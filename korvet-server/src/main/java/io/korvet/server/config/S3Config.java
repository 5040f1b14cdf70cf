package io.korvet.server.config;

import org.jspecify.annotations.Nullable;

/** How an S3 object store is reached: {@code korvet.storage.remote.s3}. What isn't set is found as the AWS SDK does. */
public record S3Config(
        @Setting(
                fallbackText = "as the AWS SDK finds it (`AWS_REGION`, the profile, the instance)",
                text = "Region of the bucket.")
        @Nullable
        String region,

        @Setting(
                fallbackText = "Amazon's, by region",
                text = "URL of an S3-compatible store, such as `http://localhost:9000` for a MinIO.")
        @Nullable
        String endpoint,

        @Setting(
                fallback = "false",
                text =
                        "Put the bucket into the path instead of the host name, as most stores that are not Amazon's need.")
        boolean pathStyleAccess,

        @Setting(
                fallbackText = "as the AWS SDK finds it (roles, IRSA, environment, profile)",
                text = "Static access key. Prefer roles in production.")
        @Nullable
        String accessKeyId,

        @Setting(
                fallbackText = "as the AWS SDK finds it (roles, IRSA, environment, profile)",
                text = "Secret of the static access key.")
        @Nullable
        String secretAccessKey)
        implements Checked {

    /** Without secrets. */
    @Override
    public String toString() {
        return "S3Config[region=" + region + ", endpoint=" + endpoint + ", pathStyleAccess=" + pathStyleAccess + "]";
    }

    @Override
    public void check(Check check) {
        check.that(
                endpoint == null || endpoint.matches("https?://[^/\\s@]+(/\\S*)?"),
                "endpoint",
                "a URL such as http://localhost:9000, without credentials");
        check.that(
                accessKeyId == null || secretAccessKey != null,
                "secret-access-key",
                "a value, since korvet.storage.remote.s3.access-key-id is set; or neither, for the AWS SDK's own chain");
        check.that(
                secretAccessKey == null || accessKeyId != null,
                "access-key-id",
                "a value, since korvet.storage.remote.s3.secret-access-key is set; or neither, for the AWS SDK's own chain");
    }
}
