package io.korvet.tiering.iceberg;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** A table of which reads of some files hang until they are released, for tests. */
final class HeldTable {

    private final Table table;
    private final Set<String> held = ConcurrentHashMap.newKeySet();
    private volatile CountDownLatch gate = new CountDownLatch(1);

    HeldTable(Table table) {
        this.table = table;
    }

    /** Lets reads of a file hang from now on. */
    void hold(String location) {
        held.add(location);
    }

    /** Lets all reads go on. */
    void release() {
        held.clear();
        gate.countDown();
        gate = new CountDownLatch(1);
    }

    /** The table as a reader has it. */
    Table table() {
        return (Table) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Table.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("io")) {
                        return new HeldFiles(table.io());
                    }
                    try {
                        return method.invoke(table, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private final class HeldFiles implements FileIO {
        private final transient FileIO files;

        HeldFiles(FileIO files) {
            this.files = files;
        }

        private InputFile held(String location, InputFile file) {
            if (held.contains(location)) {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(e);
                }
            }
            return file;
        }

        @Override
        public InputFile newInputFile(String path) {
            return held(path, files.newInputFile(path));
        }

        @Override
        public InputFile newInputFile(String path, long length) {
            return held(path, files.newInputFile(path, length));
        }

        @Override
        public OutputFile newOutputFile(String path) {
            return files.newOutputFile(path);
        }

        @Override
        public void deleteFile(String path) {
            files.deleteFile(path);
        }
    }
}
