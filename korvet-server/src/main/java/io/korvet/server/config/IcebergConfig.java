package io.korvet.server.config;

import io.korvet.server.config.Setting.Unit;
import java.util.Map;
import java.util.TreeMap;

/**
 * The table of the cold tier: {@code korvet.storage.remote.iceberg}.
 *
 * @param catalog names and values as Iceberg has them; empty for the table at the path
 */
public record IcebergConfig(
        @Setting(
                fallback = "128MB",
                unit = Unit.BYTES,
                min = 64 << 10,
                max = 1 << 30,
                text = "Size at which a row group of a data file ends, at the latest.")
        long rowGroupSize,

        @Setting(
                fallback = "128MB",
                unit = Unit.BYTES,
                min = 64 << 10,
                max = 1L << 40,
                text = "Size up to which small data files are put together.")
        long targetFileSize,

        @FreeSettings(
                text = "Property of a standard Iceberg catalog (`type`, `uri`, `warehouse` …), as Iceberg names it."
                        + " Without any the table lies at `path` and needs no catalog.")
        Map<String, String> catalog) {

    /** Copies the map. */
    public IcebergConfig {
        catalog = Map.copyOf(catalog);
    }

    /** Without the values of the catalog's properties, which may be secrets. */
    @Override
    public String toString() {
        return "IcebergConfig[rowGroupSize=" + rowGroupSize + ", targetFileSize=" + targetFileSize + ", catalog="
                + new TreeMap<>(catalog).keySet() + "]";
    }
}
