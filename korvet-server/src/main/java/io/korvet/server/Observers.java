package io.korvet.server;

import io.korvet.cluster.Evidence;
import io.korvet.cluster.MembershipObserver;
import io.korvet.coordinator.GroupObserver;
import io.korvet.coordinator.GroupState;
import io.korvet.coordinator.ImageEvent;
import io.korvet.server.dispatch.RequestObserver;
import io.korvet.server.log.LogObserver;
import io.korvet.server.metrics.BrokerMeters;
import io.korvet.store.CommittedOffsets;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ManagedLog;
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import io.korvet.tiering.WorkerObserver;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** What happens in the broker's parts, told to its meters. Thread-safe. */
final class Observers {

    /** What bytes that are no request served here are refused with. */
    private static final List<Errors> REFUSALS = List.of(Errors.INVALID_REQUEST, Errors.UNSUPPORTED_VERSION);

    private final BrokerMeters meters;
    private final GroupImageReports images = new GroupImageReports();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger pressed = new AtomicInteger();
    private volatile WorkerObserver.Standing standing = WorkerObserver.Standing.UNKNOWN;
    private volatile WorkerObserver.Lag lag = new WorkerObserver.Lag(0, Duration.ZERO);

    Observers(BrokerMeters meters) {
        this.meters = meters;
        meters.connections(connections::get);
        meters.pressedConnections(pressed::get);
        meters.archive().waiting(() -> leads() ? lag.segments() : 0);
        meters.archive().oldestWaiting(() -> leads() ? lag.oldest().toSeconds() : 0);
        meters.workerUp(() -> leads() ? 1 : 0);
        registerFailures();
    }

    /** Counters of failures are there from the start: a rate doesn't see the first of a series that begins with it. */
    private void registerFailures() {
        for (WorkerObserver.Phase phase : WorkerObserver.Phase.values()) {
            var unused = meters.workerFailures(lower(phase));
        }
        for (ColdTierException.Kind kind : ColdTierException.Kind.values()) {
            var unused = meters.archive().failures(lower(kind));
        }
        for (Errors error : REFUSALS) {
            var unused = meters.failures("request", error.name());
        }
    }

    private boolean leads() {
        return standing == WorkerObserver.Standing.LEADING;
    }

    RequestObserver requests() {
        return new RequestObserver() {
            @Override
            public void connectionOpened(String listener) {
                connections.incrementAndGet();
            }

            @Override
            public void connectionClosed(String listener) {
                connections.decrementAndGet();
            }

            @Override
            public void backpressure(String listener, Backpressure change) {
                switch (change) {
                    case PAUSED -> {
                        pressed.incrementAndGet();
                        meters.pressed();
                    }
                    case RESUMED -> {
                        pressed.decrementAndGet();
                        meters.released();
                    }
                }
            }

            @Override
            public void requestStarted(ApiKeys key, int requestBytes) {
                meters.requestBytes(key.name, requestBytes);
            }

            @Override
            public void requestFinished(ApiKeys key, Errors error, long nanoseconds, int responseBytes) {
                meters.requestFinished(key.name, error == Errors.NONE ? "ok" : error.name(), nanoseconds);
                if (responseBytes > 0) {
                    meters.responseBytes(key.name, responseBytes);
                }
            }

            @Override
            public void requestRefused(Errors error) {
                meters.failed("request", error.name());
            }
        };
    }

    /** Groups: rebalances and what happens to stored members are counted, everything is passed on. */
    GroupObserver groups(GroupObserver next) {
        return new GroupObserver() {
            @Override
            public void committed(String group, Map<CommittedOffsets.Key, CommittedOffsets.Position> positions) {
                next.committed(group, positions);
            }

            @Override
            public void removed(String group, Collection<CommittedOffsets.Key> keys) {
                next.removed(group, keys);
            }

            @Override
            public void stateChanged(String group, GroupState before, GroupState after) {
                if (isRebalancing(after) && !isRebalancing(before)) {
                    meters.rebalance("started");
                } else if (after == GroupState.STABLE) {
                    meters.rebalance("completed");
                }
            }

            @Override
            public void image(String group, ImageEvent event) {
                meters.groupImage(lower(event));
                images.report(group, event);
            }
        };
    }

    /** Hears of deaths, whose counters are there from now on. */
    MembershipObserver membership() {
        for (Evidence evidence : Evidence.values()) {
            var unused = meters.deaths(lower(evidence));
        }
        return new MembershipObserver() {
            @Override
            public void declaredDead(int brokerId, Evidence evidence) {
                meters.declaredDead(lower(evidence));
            }

            @Override
            public void foundDeclaredDead() {
                meters.foundDeclaredDead();
            }

            @Override
            public void lostRow() {
                meters.lostRow();
            }
        };
    }

    private static boolean isRebalancing(GroupState state) {
        return state == GroupState.PREPARING_REBALANCE || state == GroupState.COMPLETING_REBALANCE;
    }

    /**
     * Hears of the partitions.
     *
     * @param hotTraffic called when records were produced or read from Redis
     */
    LogObserver logs(Runnable hotTraffic) {
        return new LogObserver() {
            @Override
            public void appended(String topic, int records, long nanoseconds, Errors error) {
                meters.storageWritten("local", error == Errors.NONE ? "ok" : error.name(), nanoseconds);
                if (error == Errors.NONE) {
                    meters.topic(topic).produced(records, nanoseconds);
                    hotTraffic.run();
                }
            }

            @Override
            public void read(String topic, Source source, int records, long nanoseconds) {
                meters.topic(topic).fetched(records, nanoseconds);
                if (source != Source.COLD && records > 0) {
                    hotTraffic.run();
                }
                switch (source) {
                    case TAIL -> {}
                    case STORE -> meters.storageRead("local", "ok", nanoseconds);
                    case COLD -> meters.storageRead("remote", "ok", nanoseconds);
                }
            }

            @Override
            public void readFailed(String topic, Source source, Errors error, long nanoseconds) {
                meters.storageRead(source == Source.COLD ? "remote" : "local", error.name(), nanoseconds);
            }

            @Override
            public void lossy(String topic, int entries) {
                meters.topic(topic).lossy("fetch", entries);
            }
        };
    }

    /** The cold tier failed outside a read. */
    void archiveFailed(ColdTierException failure) {
        meters.archive().failed(lower(failure.kind()));
    }

    private static String lower(Enum<?> name) {
        return name.name().toLowerCase(Locale.ROOT);
    }

    WorkerObserver worker() {
        return new WorkerObserver() {
            @Override
            public void standing(Standing now) {
                standing = now;
            }

            @Override
            public void walked(Walk walk) {
                meters.workerWalked(walk.took().toNanos());
            }

            @Override
            public void lag(Lag now) {
                lag = now;
            }

            @Override
            public void archived(ManagedLog log, Archived archived) {
                Duration spent = Duration.ZERO;
                for (Map.Entry<OffloadProgress.Step, Duration> step :
                        archived.costs().spent().entrySet()) {
                    spent = spent.plus(step.getValue());
                    meters.archive().step(lower(step.getKey()), step.getValue().toNanos());
                }
                archived.costs()
                        .worked()
                        .forEach((step, worked) -> meters.archive().worked(lower(step), worked.toNanos()));
                if (archived.copied() > 0) {
                    meters.archive().held(archived.costs().mostBytes());
                }
                meters.archive().attempted(lower(archived.outcome()), spent.toNanos());
                if (archived.outcome() == OffloadOutcome.COMMITTED) {
                    meters.archive().archived(archived.bytes());
                }
            }

            @Override
            public void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {
                meters.workerFailed(lower(phase));
                if (failure instanceof ColdTierException cold) {
                    archiveFailed(cold);
                    if (phase == Phase.OFFLOAD) {
                        meters.archive().attempted(lower(cold.kind()), 0);
                    }
                }
            }
        };
    }
}
