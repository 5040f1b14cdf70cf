package io.korvet.it;

import io.korvet.it.archive.Archive;
import io.korvet.it.archive.Spark;
import io.korvet.it.archive.Trino;
import io.korvet.tiering.S3Server;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The same queries on an archive in an S3 server. Spark and Trino read it by S3; DuckDB, whose extension for that can't be
 * had on the machines of the tests, reads the same files below the server.
 */
class S3ArchiveQueriesIT extends ArchiveQueriesIT {

    private final S3Server server = S3Server.start();
    private final String bucket = name("bucket");

    @BeforeAll
    @Override
    void fillTheArchive() throws Exception {
        server.createBucket(bucket);
        super.fillTheArchive();
    }

    @AfterAll
    @Override
    void endBroker() {
        super.endBroker();
        server.close();
    }

    @Override
    List<String> storage() {
        return ObjectStoreBehaviour.settings(server, bucket);
    }

    @Override
    Archive archive() {
        return Archive.in(bucket, server.files(bucket), "korvet");
    }

    @Override
    String location() {
        return "s3://" + bucket + "/korvet";
    }

    @Override
    List<Spark.Result> spark(List<String> queries) {
        String metadata = location() + "/metadata/" + archive().metadata().getFileName();
        List<String> all = new ArrayList<>();
        all.add("CREATE NAMESPACE archive.korvet");
        all.add(recipes()
                .query("spark", "register")
                .replace("s3://my-bucket/korvet/metadata/v42.metadata.json", metadata));
        queries.forEach(query -> all.add(query.replace("archive.archive", "archive.korvet.segments")));
        return Spark.run(
                        Spark.inS3(
                                bucket, server.endpoint(), S3Server.REGION, S3Server.ACCESS_KEY, S3Server.SECRET_KEY),
                        all)
                .subList(2, all.size());
    }

    @Override
    Trino trino() {
        return new Trino(List.of(
                "fs.native-s3.enabled=true",
                "s3.endpoint=" + server.endpoint(),
                "s3.path-style-access=true",
                "s3.region=" + S3Server.REGION,
                "s3.aws-access-key=" + S3Server.ACCESS_KEY,
                "s3.aws-secret-key=" + S3Server.SECRET_KEY));
    }
}
