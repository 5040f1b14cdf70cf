package io.korvet.protocol.records;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** An allocator that remembers the most heap bytes one buffer had. */
final class LargestBuffer extends AbstractByteBufAllocator {

    int largest;

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        largest = Math.max(largest, maxCapacity);
        return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        throw new UnsupportedOperationException("only heap buffers are expected");
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
