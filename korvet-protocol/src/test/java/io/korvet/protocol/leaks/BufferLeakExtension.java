package io.korvet.protocol.leaks;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class when a Netty buffer was collected without having been released.
 *
 * <p>Found by JUnit's auto-detection wherever this module's test-jar is on the test class path. It needs
 * {@code -Dio.netty.leakDetection.level=paranoid}, and must be loaded before Netty's buffers, which JUnit's start sees to.
 */
public final class BufferLeakExtension implements BeforeAllCallback, AfterAllCallback {

    private static final int ROUNDS = 2;
    private static final long COLLECTION_TIMEOUT_MILLISECONDS = 2_000;

    static {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new RecordingLeakDetectorFactory());
    }

    /** Made by JUnit. */
    public BufferLeakExtension() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        RecordingLeakDetector.drain();
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            awaitCollection();
            PooledByteBufAllocator.DEFAULT.buffer(1).release();
            PooledByteBufAllocator.DEFAULT.compositeBuffer().release();
        }
        List<String> leaks = RecordingLeakDetector.drain();
        if (!leaks.isEmpty()) {
            throw new AssertionError(leaks.size() + " Netty buffers leaked in or before " + context.getDisplayName()
                    + ":\n" + String.join("\n", leaks));
        }
    }

    private static void awaitCollection() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> sentinel = new WeakReference<>(new Object(), collected);
        System.gc();
        if (collected.remove(COLLECTION_TIMEOUT_MILLISECONDS) != sentinel) {
            throw new AssertionError("The collector did not run");
        }
    }
}
