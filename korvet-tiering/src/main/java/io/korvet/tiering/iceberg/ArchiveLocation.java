package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;

/**
 * The archive's root.
 *
 * @param scheme {@code s3} or {@code file}
 * @param bucket the S3 bucket, empty for files
 * @param root the whole location without a slash at its end
 */
record ArchiveLocation(Scheme scheme, String bucket, String root) {

    /** The kinds of places an archive can be in. */
    enum Scheme {
        S3,
        FILE
    }

    private static final String EXPECTED = "expected s3://bucket/prefix, or file:///directory for development";

    /**
     * Reads {@code korvet.storage.remote.path}.
     *
     * @throws ColdTierException REFUSED when it is no such place
     */
    static ArchiveLocation of(String path) {
        String root = path.strip();
        while (root.endsWith("/") && !root.endsWith(":///") && !root.endsWith("://")) {
            root = root.substring(0, root.length() - 1);
        }
        if (root.startsWith("s3://")) {
            String rest = root.substring("s3://".length());
            int slash = rest.indexOf('/');
            String bucket = slash < 0 ? rest : rest.substring(0, slash);
            if (bucket.isEmpty()) {
                throw unfit(path, "it names no bucket");
            }
            return new ArchiveLocation(Scheme.S3, bucket, root);
        }
        if (root.startsWith("file:/")) {
            String directory = LocalFiles.path(root).toString();
            if (!directory.startsWith("/") || directory.equals("/")) {
                throw unfit(path, "it names no directory");
            }
            return new ArchiveLocation(Scheme.FILE, "", "file://" + directory);
        }
        throw unfit(path, root.isEmpty() ? "it is empty" : "it begins with neither s3:// nor file:///");
    }

    private static ColdTierException unfit(String path, String problem) {
        return new ColdTierException(
                Kind.REFUSED, "korvet.storage.remote.path '" + path + "': " + problem + "; " + EXPECTED);
    }
}
