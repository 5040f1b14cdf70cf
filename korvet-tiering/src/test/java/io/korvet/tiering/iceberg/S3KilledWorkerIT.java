package io.korvet.tiering.iceberg;

import io.korvet.tiering.S3Server;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The kill matrix over a real S3 server; all of it as in {@link LocalKilledWorkerIT}. */
class S3KilledWorkerIT extends KilledWorkerContract {

    private static S3Server server;

    private final String bucket = "kills-" + UUID.randomUUID();

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

    @Override
    int rounds() {
        return Integer.getInteger("korvet.tiering.kills", 25);
    }

    @Override
    long lifetime() {
        return 1_000;
    }
}
