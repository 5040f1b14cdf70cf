package io.korvet.cluster;

import io.korvet.store.HeartbeatTable;
import io.korvet.store.MembershipEpochs;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Membership by the registry in the store: one row per broker, rewritten as its heartbeat (seed: Deployment, "Broker
 * Discovery").
 *
 * <p>Every {@link MembershipSettings#refresh()} one round runs: a heartbeat if it is due, then a look at all rows. A round
 * that fails changes nothing and is made again; meanwhile the last view stays, so that a broker goes on believing in
 * itself while the store is away. With a {@link FailureDetection}, looks at the signs of life run between the rounds, and
 * one that brings news looks at the rows too. Rounds and looks never overlap, and all of one after its first call runs on
 * the scheduler. A view is shown with its leader epoch, never before that is known, unless the store can't say.
 */
public final class RegistryMembership implements Membership {

    private static final Logger LOGGER = LoggerFactory.getLogger(RegistryMembership.class);

    private final BrokerNode self;
    private final RegistryRow row;
    private final LiveBrokers live;
    private final HeartbeatTable table;
    private final MembershipSettings settings;
    private final ScheduledExecutorService scheduler;
    private final InstantSource clock;
    private final EpochAgreement epochs;
    private final @Nullable SignWatch signs;
    private final long lookMilliseconds;
    private final Liveness liveness;
    private final List<Consumer<ClusterView>> listeners = new CopyOnWriteArrayList<>();
    private final Object turn = new Object();

    /** The step under way or done last; the next one, and leaving, waits for it. Guarded by {@link #turn}. */
    private CompletionStage<Void> step = CompletableFuture.completedFuture(null);
    /** Guarded by {@link #turn}. */
    private @Nullable CompletionStage<Void> left;

    private volatile ClusterView view;
    private volatile boolean registered;
    private volatile @Nullable Instant lastSuccess;
    private volatile @Nullable String trouble;
    /** Touched by one step at a time. */
    private int roundsToHeartbeat;
    /** Since when rounds fail, {@code null} when they don't. Touched by one step at a time. */
    private @Nullable Instant failingSince;
    /** Touched by one step at a time. */
    private boolean taken;
    /** Whether the last look found the own row lost, and so judged nobody. Touched by one step at a time. */
    private boolean spared;
    /** Whether a look just after that judges nobody either. Touched by one step at a time. */
    private boolean waits;
    /** The rows as last seen. Touched by one step at a time. */
    private Map<String, String> rows = Map.of();

    /**
     * A broker that has not joined yet, that judges the others by their rows alone, and whose views have epoch 0.
     *
     * @param self the broker; its time of heartbeat is not looked at
     * @param scheduler runs the rounds and calls the listeners; owned by the caller and to be ended after leaving
     * @param clock the time written into the row
     */
    public RegistryMembership(
            BrokerNode self,
            HeartbeatTable table,
            MembershipSettings settings,
            ScheduledExecutorService scheduler,
            InstantSource clock) {
        this(self, table, settings, scheduler, clock, null, null, MembershipObserver.NONE);
    }

    /** The same with epochs, with signs of life beside the rows, {@code null} for none, and with who hears of deaths. */
    public RegistryMembership(
            BrokerNode self,
            HeartbeatTable table,
            MembershipSettings settings,
            ScheduledExecutorService scheduler,
            InstantSource clock,
            @Nullable MembershipEpochs epochs,
            @Nullable FailureDetection detection,
            MembershipObserver observer) {
        this.self = self;
        this.table = table;
        this.settings = settings;
        this.scheduler = scheduler;
        this.clock = clock;
        this.epochs = new EpochAgreement(epochs, scheduler);
        this.lookMilliseconds = detection == null ? 0 : detection.interval().toMillis();
        this.liveness = new Liveness(settings);
        this.row = new RegistryRow(self, table, liveness, this::isDeclaredDead, observer, scheduler, clock);
        this.signs = detection == null ? null : new SignWatch(self.id(), detection, row, observer, scheduler);
        this.live = new LiveBrokers(self, liveness, signs, observer);
        this.view = new ClusterView(self.id(), List.of(self.at(clock.millis())));
    }

    @Override
    public ClusterView view() {
        return view;
    }

    /** Whether the store showed this broker's row as its own when it was last asked. */
    public boolean registered() {
        return registered;
    }

    /** When a round last succeeded, {@code null} for never. */
    public @Nullable Instant lastSuccess() {
        return lastSuccess;
    }

    /** Why the registry can't be kept up and since when, {@code null} while it can. */
    public @Nullable String trouble() {
        return trouble;
    }

    @Override
    public void onChange(Consumer<ClusterView> listener) {
        listeners.add(listener);
    }

    @Override
    public CompletionStage<Void> join() {
        CompletionStage<Void> joined = nextStep(() -> row.claim()
                .thenComposeAsync(claimed -> heartbeatDone(), scheduler)
                .thenComposeAsync(done -> firstSign(), scheduler)
                .thenComposeAsync(done -> table.rows(), scheduler)
                .thenComposeAsync(this::firstLook, scheduler));
        return joined.thenRunAsync(
                () -> {
                    report(null);
                    scheduleRound();
                    scheduleLook(lookMilliseconds);
                },
                scheduler);
    }

    private CompletionStage<Boolean> isDeclaredDead(BrokerNode holder) {
        return signs == null ? CompletableFuture.completedFuture(false) : signs.findDeclaredDead(holder);
    }

    /** Signs that fail don't keep from joining: the rows are enough. */
    private CompletionStage<Void> firstSign() {
        if (signs == null) {
            return CompletableFuture.completedFuture(null);
        }
        signs.appear();
        return signs.turn(rows).handle((news, failure) -> null);
    }

    @Override
    public CompletionStage<Void> leave() {
        synchronized (turn) {
            if (left == null) {
                left = step.handle((done, failure) -> row)
                        .thenComposeAsync(RegistryRow::remove, scheduler)
                        .thenRun(() -> registered = false)
                        .thenComposeAsync(
                                removed -> signs == null ? CompletableFuture.completedFuture(null) : signs.leave(),
                                scheduler);
            }
            return left;
        }
    }

    private interface Step {
        CompletionStage<Void> run();
    }

    /** Runs a step after the one before; once leaving has begun, nothing is run. */
    private CompletionStage<Void> nextStep(Step next) {
        synchronized (turn) {
            if (left != null) {
                return left;
            }
            step = step.handle((done, failure) -> next).thenCompose(Step::run);
            return step;
        }
    }

    private void scheduleRound() {
        synchronized (turn) {
            if (left == null) {
                var unused = scheduler.schedule(this::round, settings.refresh().toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    private void round() {
        CompletionStage<Void> done = nextStep(() -> heartbeatIfDue()
                .handle((beaten, failure) -> failure)
                .thenComposeAsync(
                        failure -> epochs.beforeRound()
                                .thenComposeAsync(ready -> table.rows(), scheduler)
                                .thenComposeAsync(this::look, scheduler)
                                .thenCompose(looked -> outcome(failure)),
                        scheduler));
        var unused = done.whenCompleteAsync(
                (result, failure) -> {
                    report(failure);
                    scheduleRound();
                },
                scheduler);
    }

    private void scheduleLook(long milliseconds) {
        synchronized (turn) {
            if (left == null && signs != null) {
                var unused = scheduler.schedule(this::lookAtSigns, milliseconds, TimeUnit.MILLISECONDS);
            }
        }
    }

    /**
     * After a failure the next look follows soon, so that the sign of a broker that lost its connection is back soon; so it
     * does when another broker has looked later.
     */
    private void lookAtSigns() {
        var unused = nextStep(this::signsAndNews)
                .whenCompleteAsync(
                        (done, failure) -> scheduleLook(
                                failure == null && !epochs.isOvertaken()
                                        ? lookMilliseconds
                                        : Math.max(1, lookMilliseconds / 4)),
                        scheduler);
    }

    private CompletionStage<Void> signsAndNews() {
        if (signs == null || taken) {
            return CompletableFuture.completedFuture(null);
        }
        SignWatch watch = signs;
        return watch.turn(rows).thenComposeAsync(news -> follow(watch, news), scheduler);
    }

    private CompletionStage<Void> follow(SignWatch watch, boolean news) {
        boolean waited = waits;
        waits = false;
        boolean old = epochs.isOvertaken() || spared;
        epochs.see(watch.epoch());
        return mendRow(watch.ownRow())
                .thenComposeAsync(
                        failure -> {
                            if (failure != null) {
                                report(failure);
                            }
                            if (row.takeLoss()) {
                                return spare();
                            }
                            return (news || old) && !waited
                                    ? table.rows().thenComposeAsync(this::lookBetweenRounds, scheduler)
                                    : show(view.nodes());
                        },
                        scheduler);
    }

    /** Writes the own row again if it is lost; answers the failure. */
    private CompletionStage<@Nullable Throwable> mendRow(@Nullable String found) {
        return registered && row.isLost(found)
                ? row.claimLost()
                        .thenComposeAsync(claimed -> heartbeatDone(), scheduler)
                        .handle((done, failure) -> failure)
                : CompletableFuture.completedFuture(null);
    }

    /** Who lost its own row finds none of others that lost theirs and write them now, so nobody is judged at this look. */
    private CompletionStage<Void> spare() {
        waits = !waits && signs != null;
        spared = true;
        return show(view.nodes());
    }

    /** A failed heartbeat (for instance because another broker took the id) doesn't keep from looking, but shows. */
    private static CompletionStage<Void> outcome(@Nullable Throwable failure) {
        return failure == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(failure);
    }

    private CompletionStage<Void> heartbeatIfDue() {
        row.nextRound();
        roundsToHeartbeat--;
        return registered && roundsToHeartbeat > 0
                ? CompletableFuture.completedFuture(null)
                : row.claim().thenComposeAsync(claimed -> heartbeatDone(), scheduler);
    }

    private CompletionStage<Void> heartbeatDone() {
        roundsToHeartbeat = settings.roundsPerHeartbeat();
        registered = true;
        taken = false;
        return CompletableFuture.completedFuture(null);
    }

    /** A broker that can't tell the others' epoch would be asked in vain, so it doesn't join. */
    private CompletionStage<Void> firstLook(Map<String, String> found) {
        liveness.nextRound(found.keySet());
        List<BrokerNode> nodes = judge(found);
        return epochs.first(LiveBrokers.members(nodes)).thenAcceptAsync(epoch -> show(nodes, epoch), scheduler);
    }

    private CompletionStage<Void> look(Map<String, String> found) {
        liveness.nextRound(found.keySet());
        return mendRow(found.get(Integer.toString(self.id())))
                .thenComposeAsync(
                        failure -> {
                            boolean spares = (row.takeLoss() && !spared) || waits;
                            return (spares ? spare() : show(judge(found))).thenCompose(shown -> outcome(failure));
                        },
                        scheduler);
    }

    /** Not a round: staleness is counted in those. */
    private CompletionStage<Void> lookBetweenRounds(Map<String, String> found) {
        liveness.sameRound(found.keySet());
        return show(judge(found));
    }

    private List<BrokerNode> judge(Map<String, String> found) {
        rows = found;
        spared = false;
        waits = false;
        return live.among(found, view, clock.millis());
    }

    private CompletionStage<Void> show(List<BrokerNode> nodes) {
        return epochs.of(LiveBrokers.members(nodes)).thenAcceptAsync(epoch -> show(nodes, epoch), scheduler);
    }

    /** Shows brokers with their epoch; without one nothing changes. */
    private void show(List<BrokerNode> nodes, OptionalInt epoch) {
        if (epoch.isEmpty()) {
            return;
        }
        ClusterView before = view;
        ClusterView next = new ClusterView(self.id(), nodes, epoch.getAsInt());
        if (before.describesSame(next)) {
            if (before.leaderEpoch() != next.leaderEpoch()) {
                view = next;
            }
            return;
        }
        view = next;
        LOGGER.atInfo()
                .addKeyValue(
                        "brokerIds", next.nodes().stream().map(BrokerNode::id).toList())
                .addKeyValue("leaderEpoch", next.leaderEpoch())
                .log("the set of live brokers or their endpoints changed");
        for (Consumer<ClusterView> listener : listeners) {
            try {
                listener.accept(next);
            } catch (RuntimeException e) {
                LOGGER.atError().setCause(e).log("a listener for changes of the cluster failed");
            }
        }
    }

    /** One line when rounds begin to fail and one when they succeed again. */
    private void report(@Nullable Throwable failure) {
        if (failure == null) {
            lastSuccess = clock.instant();
            if (failingSince != null) {
                LOGGER.atInfo().log("the broker registry is reached again");
            }
            failingSince = null;
            trouble = null;
            return;
        }
        registered = false;
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        taken = cause instanceof BrokerIdTakenException;
        if (failingSince == null) {
            failingSince = clock.instant();
            LOGGER.atWarn()
                    .setCause(LOGGER.isDebugEnabled() ? cause : null)
                    .addKeyValue("brokerId", self.id())
                    .addKeyValue("reason", cause.getMessage())
                    .log("the broker registry can't be kept up; the last view stays and it is tried again");
        }
        trouble = taken
                ? cause.getMessage()
                : "the registry can't be read or written since " + failingSince + ": " + cause.getMessage();
    }
}
