package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import org.apache.iceberg.Table;

/** The footers of the data files read last, in memory up to a bound. Blocks where one must be read; thread-safe. */
final class StoredFiles {

    /** What is believed of a file that was read before. */
    enum Memory {
        /** Files never change. */
        KEPT,
        /** A file may have been lost or damaged meanwhile: its length is asked for and its footer read each time. */
        NONE
    }

    private final Table table;
    private final Memory memory;
    private final WeightedCache<String, StoredFile> files;

    StoredFiles(Table table, long mostBytes, Memory memory) {
        this.table = table;
        this.memory = memory;
        this.files = new WeightedCache<>(mostBytes);
    }

    StoredFiles(Table table, long mostBytes) {
        this(table, mostBytes, Memory.KEPT);
    }

    /**
     * A file's end.
     *
     * @throws ReadFailures.FileGone when it isn't there
     * @throws ColdTierException CORRUPT when it is none that the table can have meant
     */
    StoredFile open(ArchivedFile file) {
        if (memory == Memory.NONE) {
            checkLength(file);
            return read(file);
        }
        StoredFile known = files.get(file.location());
        if (known != null) {
            return known;
        }
        StoredFile opened = read(file);
        files.put(file.location(), opened, opened.sizeInBytes());
        return opened;
    }

    private StoredFile read(ArchivedFile file) {
        return StoredFile.open(table.io().newInputFile(file.location(), file.length()), file.length(), table.schema());
    }

    private void checkLength(ArchivedFile file) {
        long length;
        try {
            length = table.io().newInputFile(file.location()).getLength();
        } catch (RuntimeException e) {
            throw ReadFailures.ofStorage(file.location(), e);
        }
        if (length != file.length()) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    file.location() + " has " + length + " bytes, expected " + file.length() + " as the table says");
        }
    }
}
