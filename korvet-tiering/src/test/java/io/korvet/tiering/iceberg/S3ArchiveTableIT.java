package io.korvet.tiering.iceberg;

import io.korvet.tiering.S3Server;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The table in a real S3 server. */
class S3ArchiveTableIT extends ArchiveTableContract {

    private static S3Server server;

    private final String bucket = "archive-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        server = S3Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void createBucket() {
        server.createBucket(bucket);
    }

    @Override
    ArchiveSettings settings() {
        return server.archive(bucket);
    }

    /** Iceberg's own classes over the newest metadata, which a hint names. */
    @Override
    Table standardTable() {
        S3FileIO files = new S3FileIO();
        files.initialize(S3Clients.properties(settings()));
        String metadata = settings().path() + "/metadata/";
        byte[] hint = new S3Objects(files.client()).read(metadata + "version-hint.text");
        return new BaseTable(
                new StaticTableOperations(
                        metadata + "v" + new String(hint, StandardCharsets.UTF_8) + ".metadata.json", files),
                "standard");
    }
}
