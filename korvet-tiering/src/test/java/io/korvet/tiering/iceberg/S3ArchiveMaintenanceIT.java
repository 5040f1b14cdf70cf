package io.korvet.tiering.iceberg;

import io.korvet.tiering.S3Server;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The archive in a real S3 server is looked after. */
class S3ArchiveMaintenanceIT extends ArchiveMaintenanceContract {

    private static S3Server server;

    private final String bucket = "maintenance-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        server = S3Server.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    @Override
    void open() {
        server.createBucket(bucket);
        super.open();
    }

    @Override
    ArchiveSettings place() {
        return server.archive(bucket);
    }

    @Override
    Path directory() {
        return server.files(bucket).resolve("korvet");
    }
}
