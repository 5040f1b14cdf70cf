package io.korvet.benchmarks.report;

import java.util.Locale;

/** What one run of a measurement yields. */
public enum Metric {
    /** Records in a second of wall time. */
    RECORDS_PER_SECOND("records/s", Better.MORE),
    /** Megabytes (10^6) of values in a second of wall time. */
    MEGABYTES_PER_SECOND("MB/s", Better.MORE),
    /** CPU seconds of this harness's process, which holds the clients, per million records. */
    CLIENT_CPU("client CPU s/M", Better.LESS),
    /** CPU seconds of the broker's process per million records. */
    BROKER_CPU("broker CPU s/M", Better.LESS),
    /** CPU seconds of redis-server per million records. */
    REDIS_CPU("Redis CPU s/M", Better.LESS),
    /** Time an offload waited for pages of Redis, per million records; such times overlap. */
    ARCHIVE_READ("read s/M", Better.LESS),
    /** Time an offload spent on making columns of records, compression included, per million records. */
    ARCHIVE_ENCODE("encode s/M", Better.LESS),
    /** Time an offload spent on handing bytes to the object store, per million records. */
    ARCHIVE_UPLOAD("upload s/M", Better.LESS),
    /** CPU seconds of the broker's event loops, which take pages from Redis, per million records. */
    ARCHIVE_LOOPS_CPU("read, loops CPU s/M", Better.LESS),
    /** CPU seconds of the copying threads for making columns of records, compression included, per million records. */
    ARCHIVE_ENCODE_CPU("encode CPU s/M", Better.LESS),
    /** CPU seconds of the copying threads for handing bytes to the object store, per million records. */
    ARCHIVE_UPLOAD_CPU("upload CPU s/M", Better.LESS),
    /** What an offload had in memory at the most. */
    ARCHIVE_MEMORY("memory per offload MiB", Better.LESS),
    /** What readers of the archive got meanwhile, all together. */
    COLD_RECORDS_PER_SECOND("cold records/s", Better.MORE),
    /** Memory of the broker's process after the run. */
    BROKER_MEMORY("broker RSS MB", Better.LESS),
    /** Memory of redis-server after the run, the data in it included. */
    REDIS_MEMORY("Redis RSS MB", Better.LESS),
    /** From when a record was due to be sent until its acknowledgement. */
    ACKNOWLEDGED_P50("ack p50 ms", Better.LESS),
    /** The same, 99th percentile. */
    ACKNOWLEDGED_P99("ack p99 ms", Better.LESS),
    /** The same, 99.9th percentile. */
    ACKNOWLEDGED_P999("ack p99.9 ms", Better.LESS),
    /** From when a record was due to be sent until a consumer's poll returned it. */
    DELIVERED_P50("end-to-end p50 ms", Better.LESS),
    /** The same, 99th percentile. */
    DELIVERED_P99("end-to-end p99 ms", Better.LESS),
    /** The same, 99.9th percentile. */
    DELIVERED_P999("end-to-end p99.9 ms", Better.LESS);

    /** Which direction is good. */
    public enum Better {
        /** Larger is better. */
        MORE,
        /** Smaller is better. */
        LESS
    }

    private final String title;
    private final Better better;

    Metric(String title, Better better) {
        this.title = title;
        this.better = better;
    }

    /** Name and unit. */
    public String title() {
        return title;
    }

    /** Which direction is good. */
    public Better better() {
        return better;
    }

    /** A value in the precision that suits the metric. */
    public String format(double value) {
        return switch (this) {
            case RECORDS_PER_SECOND, COLD_RECORDS_PER_SECOND, BROKER_MEMORY, REDIS_MEMORY ->
                String.format(Locale.ROOT, "%,.0f", value);
            case MEGABYTES_PER_SECOND, ARCHIVE_MEMORY -> String.format(Locale.ROOT, "%.1f", value);
            case CLIENT_CPU,
                    BROKER_CPU,
                    REDIS_CPU,
                    ARCHIVE_READ,
                    ARCHIVE_ENCODE,
                    ARCHIVE_UPLOAD,
                    ARCHIVE_LOOPS_CPU,
                    ARCHIVE_ENCODE_CPU,
                    ARCHIVE_UPLOAD_CPU,
                    ACKNOWLEDGED_P50,
                    ACKNOWLEDGED_P99,
                    ACKNOWLEDGED_P999,
                    DELIVERED_P50,
                    DELIVERED_P99,
                    DELIVERED_P999 -> String.format(Locale.ROOT, "%.2f", value);
        };
    }
}
