package io.korvet.server.topics;

import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.store.Store;
import io.korvet.store.TopicCatalog;
import io.korvet.store.TopicCatalog.Topic;
import io.korvet.tiering.DeletedLogs;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@link Topics} over the store's catalog: an immutable view, replaced as a whole when the catalog's version has moved.
 *
 * <p>A topic's logs are made before its row and removed after it, under a lease per name. Logs that a crash leaves behind
 * without a row are removed by {@link #start} and every {@value #POLLS_PER_SWEEP} polls when the row was removed, and
 * otherwise by the next creation of the name. Listeners are called on the thread that brought the new view, one view at a
 * time.
 */
public final class CachedTopics implements Topics, AutoCloseable {

    /**
     * How it behaves.
     *
     * @param defaults what the configuration says of a new topic by its name
     * @param defaultPartitions for new topics that neither their creator nor the configuration gives a number
     * @param pollInterval how often the catalog's version is asked for
     */
    public record Options(Function<String, NewTopicDefaults> defaults, int defaultPartitions, Duration pollInterval) {}

    private static final Logger LOG = LoggerFactory.getLogger(CachedTopics.class);
    private static final int POLLS_PER_SWEEP = 30;
    private static final int REPLACE_ATTEMPTS = 5;

    private final TopicCatalog catalog;
    private final TopicLogs logs;
    private final TopicConfigs configs;
    private final TopicRules rules;
    private final Options options;
    private final InstantSource clock;
    private final ScheduledExecutorService scheduler;
    private final TopicLocks locks;
    private final CoalescedRefresh refresh = new CoalescedRefresh(this::read);
    private final List<Consumer<List<Topic>>> listeners = new CopyOnWriteArrayList<>();
    private final GoneTopics goneTopics = new GoneTopics(LOG);
    private volatile TopicView view = TopicView.NONE;
    private volatile boolean closed;
    private int polls;

    /** Over a store; {@link #start} reads the first view. */
    public CachedTopics(
            Store store,
            TopicConfigs configs,
            Options options,
            InstantSource clock,
            ScheduledExecutorService scheduler) {
        this.catalog = store.topics();
        this.logs = new TopicLogs(store.topics(), store.entries(), new DeletedLogs(store.removals()));
        this.configs = configs;
        this.rules = new TopicRules(configs, options);
        this.options = options;
        this.clock = clock;
        this.scheduler = scheduler;
        this.locks = new TopicLocks(store.leases(), scheduler);
    }

    /** Reads the topics, then begins to follow the catalog; leftovers of deletions are removed meanwhile. */
    public CompletionStage<Void> start() {
        return refresh().thenRun(() -> {
            schedulePoll();
            logs.sweep();
        });
    }

    /** Stops following the catalog; the view stays as it is. */
    @Override
    public void close() {
        closed = true;
    }

    @Override
    public @Nullable Topic byName(String name) {
        return view.byName(name);
    }

    @Override
    public @Nullable Topic byId(String id) {
        return view.byId(id);
    }

    @Override
    public Collection<Topic> all() {
        return view.topics();
    }

    @Override
    public TopicSettings settings(Topic topic) {
        TopicSettings cached = view.settings(topic);
        return cached == null ? configs.settings(topic.name(), topic.config()) : cached;
    }

    @Override
    public CompletionStage<Void> refresh() {
        return refresh.run();
    }

    @Override
    public void onRemoved(Consumer<List<Topic>> listener) {
        listeners.add(listener);
    }

    @Override
    public CompletionStage<Outcome> create(String name, int partitions, Map<String, String> config, Mode mode) {
        return outcome(() -> {
            TopicRules.Plan plan = rules.plan(name, partitions, config);
            Topic topic = new Topic(
                    name,
                    TopicNames.randomId(),
                    plan.partitions(),
                    plan.config(),
                    clock.instant().toEpochMilli());
            return switch (mode) {
                case VALIDATE_ONLY ->
                    refreshIfMoved().thenApply(nothing -> {
                        rules.checkNameIsFree(name, view);
                        return topic;
                    });
                case APPLY ->
                    locks.exclusively(
                                    name,
                                    () -> refreshIfMoved().thenCompose(nothing -> {
                                        rules.checkNameIsFree(name, view);
                                        return logs.make(topic, 0).thenCompose(made -> add(topic));
                                    }))
                            .thenApply(made -> announced(topic, "created"));
            };
        });
    }

    private CompletionStage<Topic> add(Topic topic) {
        return catalog.add(topic).thenCompose(added -> {
            if (added) {
                return refresh().thenApply(nothing -> topic);
            }
            return logs.remove(topic).<Topic>handle((nothing, failure) -> {
                throw Errors.TOPIC_ALREADY_EXISTS.exception("Topic '" + topic.name() + "' already exists.");
            });
        });
    }

    @Override
    public CompletionStage<Outcome> delete(Topic topic) {
        return outcome(() -> locks.exclusively(
                topic.name(),
                () -> goneTopics.deleting(
                        topic,
                        () -> noteForColdTier(topic)
                                .thenCompose(noted -> catalog.remove(topic.name(), topic.id()))
                                .thenCompose(this::removed))));
    }

    private CompletionStage<Topic> removed(@Nullable Topic topic) {
        if (topic == null) {
            return refresh().thenApply(nothing -> {
                throw Errors.UNKNOWN_TOPIC_OR_PARTITION.exception();
            });
        }
        return refresh()
                .thenCompose(nothing -> logs.finishRemoval(topic))
                .thenApply(nothing -> announced(topic, "deleted"));
    }

    private CompletionStage<Void> noteForColdTier(Topic topic) {
        return configs.mayBeInRemoteTier(topic.config())
                ? logs.noteForColdTier(topic)
                : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Outcome> addPartitions(String name, int total, Mode mode) {
        return outcome(() -> switch (mode) {
            case VALIDATE_ONLY -> refreshIfMoved().thenApply(nothing -> rules.grown(view.byName(name), total));
            case APPLY ->
                locks.exclusively(
                        name,
                        () -> replaced(name, REPLACE_ATTEMPTS, before -> {
                            Topic after = rules.grown(before, total);
                            return logs.make(after, before.partitions()).thenApply(nothing -> after);
                        }));
        });
    }

    @Override
    public CompletionStage<Outcome> alterConfig(String name, Map<String, String> config, Mode mode) {
        return changeConfig(name, before -> config, mode);
    }

    @Override
    public CompletionStage<Outcome> changeConfig(String name, ConfigChange change, Mode mode) {
        return outcome(() -> switch (mode) {
            case VALIDATE_ONLY -> refreshIfMoved().thenApply(nothing -> rules.changed(view.byName(name), change));
            case APPLY ->
                locks.exclusively(
                        name,
                        () -> replaced(
                                name,
                                REPLACE_ATTEMPTS,
                                before -> CompletableFuture.completedFuture(rules.changed(before, change))));
        });
    }

    /** Makes a topic's next state from its present one and stores it, again when it changed in between. */
    private CompletionStage<Topic> replaced(String name, int attempts, Step step) {
        return refreshIfMoved().thenCompose(nothing -> {
            Topic before = rules.present(view.byName(name));
            return step.next(before).thenCompose(after -> {
                if (after.equals(before)) {
                    return CompletableFuture.completedFuture(after);
                }
                return catalog.replace(before, after).thenCompose(done -> {
                    if (done) {
                        return refresh().thenApply(read -> announced(after, "changed"));
                    }
                    if (attempts == 1) {
                        throw Errors.REQUEST_TIMED_OUT.exception("The topic kept changing; nothing was changed here.");
                    }
                    return replaced(name, attempts - 1, step);
                });
            });
        });
    }

    private interface Step {
        CompletionStage<Topic> next(Topic before);
    }

    /** Turns what a change came to into data: refusals are {@link ApiException}s with their own code. */
    private static CompletionStage<Outcome> outcome(Supplier<CompletionStage<Topic>> change) {
        CompletionStage<Topic> stage;
        try {
            stage = change.get();
        } catch (RuntimeException failure) {
            stage = CompletableFuture.failedFuture(failure);
        }
        return stage.handle((topic, failure) -> {
            if (failure == null) {
                return new Outcome(Errors.NONE, null, topic);
            }
            Throwable cause = failure;
            while (cause instanceof CompletionException && cause.getCause() != null) {
                cause = cause.getCause();
            }
            if (!(cause instanceof ApiException)) {
                LOG.atWarn().setCause(cause).log("a change of topics failed");
            }
            return new Outcome(ErrorMapper.errorOf(ErrorMapper.Family.ADMIN, cause), cause.getMessage(), null);
        });
    }

    private static Topic announced(Topic topic, String what) {
        LOG.atInfo()
                .addKeyValue("topic", topic.name())
                .addKeyValue("topicId", topic.id())
                .addKeyValue("partitions", topic.partitions())
                .log("topic {}", what);
        return topic;
    }

    private CompletionStage<Void> refreshIfMoved() {
        return catalog.version()
                .thenCompose(
                        version -> version == view.version() ? CompletableFuture.completedFuture(null) : refresh.run());
    }

    private CompletionStage<Void> read() {
        return catalog.snapshot().thenAccept(snapshot -> {
            TopicView before = view;
            TopicView after = before.next(snapshot, topic -> configs.settings(topic.name(), topic.config()));
            view = after;
            List<Topic> gone = before.goneFrom(after);
            if (!gone.isEmpty()) {
                goneTopics.tell(gone, before, after);
                listeners.forEach(listener -> tell(listener, gone));
            }
        });
    }

    private static void tell(Consumer<List<Topic>> listener, List<Topic> gone) {
        try {
            listener.accept(gone);
        } catch (RuntimeException failure) {
            LOG.atError().setCause(failure).log("a listener failed on removed topics");
        }
    }

    private void schedulePoll() {
        if (!closed) {
            ScheduledFuture<?> unused =
                    scheduler.schedule(this::poll, options.pollInterval().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void poll() {
        polls++;
        boolean all = polls % POLLS_PER_SWEEP == 0;
        if (all) {
            logs.sweep();
        }
        // Now and then the whole catalog: after a fail-over that lost writes, two states can have one version.
        (all ? refresh() : refreshIfMoved()).whenComplete((nothing, failure) -> {
            if (failure != null) {
                LOG.atDebug().setCause(failure).log("could not read the topics; the known ones stay");
            }
            schedulePoll();
        });
    }
}
