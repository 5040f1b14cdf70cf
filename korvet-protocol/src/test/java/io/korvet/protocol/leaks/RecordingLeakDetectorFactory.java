package io.korvet.protocol.leaks;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;

/** Gives Netty detectors that record. */
final class RecordingLeakDetectorFactory extends ResourceLeakDetectorFactory {

    @Override
    @Deprecated
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
            Class<T> resource, int samplingInterval, long maxActive) {
        return new RecordingLeakDetector<>(resource, samplingInterval);
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
        return new RecordingLeakDetector<>(resource, samplingInterval);
    }
}
