package io.korvet.store.redis;

import io.korvet.store.StoreException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One command with its answer to come, sent once and then only again when Redis did nothing: because it did not know the
 * script, or because another node of a cluster has the key.
 */
final class RedisCall<T> {

    /** What a call does to Redis, and so what is known when no answer comes. */
    enum Effect {
        /** Nothing. */
        READS,
        /** It may have changed something. */
        CHANGES
    }

    private static final int MAX_ATTEMPTS = 5;

    private final String name;
    private final Effect effect;
    private final ProtocolKeyword type;
    private final CommandArgs<String, String> arguments;
    private final Supplier<CommandOutput<String, String, T>> output;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private Runnable whenDone = () -> {};
    private int attempts;
    private volatile boolean asking;
    private int replicas;
    private @Nullable CompletableFuture<Long> copies;

    RedisCall(
            String name,
            Effect effect,
            ProtocolKeyword type,
            CommandArgs<String, String> arguments,
            Supplier<CommandOutput<String, String, T>> output) {
        this.name = name;
        this.effect = effect;
        this.type = type;
        this.arguments = arguments;
        this.output = output;
    }

    static CommandArgs<String, String> arguments() {
        return new CommandArgs<>(StringCodec.UTF8);
    }

    static CommandArgs<String, String> arguments(Script script, List<String> keys, List<String> values) {
        return arguments().add(script.sha()).add(keys.size()).addKeys(keys).addValues(values);
    }

    static RedisCall<String> status(
            String name, Effect effect, CommandType type, CommandArgs<String, String> arguments) {
        return new RedisCall<>(name, effect, type, arguments, () -> new StatusOutput<>(StringCodec.UTF8));
    }

    static RedisCall<Long> number(String name, Effect effect, CommandType type, CommandArgs<String, String> arguments) {
        return new RedisCall<>(name, effect, type, arguments, () -> new IntegerOutput<>(StringCodec.UTF8));
    }

    static RedisCall<@Nullable String> text(
            String name, Effect effect, CommandType type, CommandArgs<String, String> arguments) {
        return new RedisCall<>(name, effect, type, arguments, () -> new ValueOutput<>(StringCodec.UTF8));
    }

    /** An answer of nested lists of {@code String}, {@code Long} and {@code null}. */
    static RedisCall<List<Object>> list(
            String name, Effect effect, CommandType type, CommandArgs<String, String> arguments) {
        return new RedisCall<>(name, effect, type, arguments, () -> new NestedMultiOutput<>(StringCodec.UTF8));
    }

    /** Adds what is to be done exactly once when the call is over, before the answer. */
    RedisCall<T> whenDone(Runnable action) {
        whenDone = action;
        return this;
    }

    /** Asks for a number of replicas to have it, above 0, before {@link #copies} completes. */
    RedisCall<T> copiedTo(int wanted) {
        replicas = wanted;
        copies = new CompletableFuture<>();
        return this;
    }

    /** How many replicas are to have it; 0 for as many as will. */
    int replicas() {
        return replicas;
    }

    /** How many replicas had it in time; fails with the call, or when nobody could tell. */
    CompletableFuture<Long> copies() {
        return Objects.requireNonNull(copies);
    }

    /** Whether it goes to the node that a slot is being moved to, which must be told so. */
    boolean isAsking() {
        return asking;
    }

    void setAsking(boolean toldSo) {
        asking = toldSo;
    }

    /** The slot of its first key in a cluster, -1 for a call without one. */
    int slot() {
        ByteBuffer key = arguments.getFirstEncodedKey();
        return key == null ? -1 : SlotHash.getSlot(key);
    }

    String name() {
        return name;
    }

    Effect effect() {
        return effect;
    }

    CompletableFuture<T> answer() {
        return answer;
    }

    boolean mayBeRepeated() {
        return attempts < MAX_ATTEMPTS;
    }

    Attempt<T> attempt(RedisLane lane) {
        attempts++;
        return new Attempt<>(this, lane, output.get());
    }

    void fail(StoreException failure) {
        whenDone.run();
        answer.completeExceptionally(failure);
        if (copies != null) {
            copies.completeExceptionally(failure);
        }
    }

    private void succeed(T value) {
        whenDone.run();
        answer.complete(value);
    }

    /** The command as the driver sees it. */
    static final class Attempt<T> extends Command<String, String, T> {

        private final RedisCall<T> call;
        private final RedisLane lane;
        private final long startNanos = System.nanoTime();
        private volatile boolean sent;
        private volatile boolean repeated;

        Attempt(RedisCall<T> call, RedisLane lane, CommandOutput<String, String, T> output) {
            super(call.type, output, call.arguments);
            this.call = call;
            this.lane = lane;
        }

        RedisCall<T> call() {
            return call;
        }

        long startNanos() {
            return startNanos;
        }

        @Override
        public void encode(ByteBuf out) {
            sent = true;
            super.encode(out);
        }

        @Override
        public void complete() {
            if (!isDone()) {
                super.complete();
                lane.settled(this);
            }
        }

        @Override
        public boolean completeExceptionally(Throwable cause) {
            if (isDone()) {
                return false;
            }
            super.completeExceptionally(cause);
            lane.settled(this);
            return true;
        }

        @Override
        public void cancel() {
            if (!isDone()) {
                exception = new CancellationException("cancelled");
                super.cancel();
                lane.settled(this);
            }
        }

        /** The error that was answered, {@code null} for none. */
        @Nullable
        String error() {
            return exception == null && getOutput().hasError() ? getOutput().getError() : null;
        }

        /** Whether the call did nothing here and is sent again. */
        boolean isRepeated() {
            return repeated;
        }

        void setRepeated() {
            repeated = true;
        }

        /** Hands the result to whoever waits for it. */
        void publish() {
            Throwable cause = exception;
            if (cause != null) {
                call.fail(DriverFailures.lost(cause, call, sent));
            } else if (getOutput().hasError()) {
                call.fail(DriverFailures.answered(getOutput().getError(), call.name));
            } else {
                call.succeed(getOutput().get());
            }
        }
    }
}
