package io.korvet.tiering.iceberg;

import org.apache.iceberg.Table;

/** The footers of the data files read last, in memory up to a bound. Blocks where one must be read; thread-safe. */
final class StoredFiles {

    private final Table table;
    private final WeightedCache<String, StoredFile> files;

    StoredFiles(Table table, long mostBytes) {
        this.table = table;
        this.files = new WeightedCache<>(mostBytes);
    }

    /** A file's end. */
    StoredFile open(ArchivedFile file) {
        StoredFile known = files.get(file.location());
        if (known != null) {
            return known;
        }
        StoredFile opened =
                StoredFile.open(table.io().newInputFile(file.location(), file.length()), file.length(), table.schema());
        files.put(file.location(), opened, opened.sizeInBytes());
        return opened;
    }
}
