package io.korvet.cluster;

import io.korvet.store.LifeSigns;
import io.korvet.store.LifeSigns.Sign;
import io.korvet.store.MembershipEpochs.Epoch;
import io.korvet.store.StoreException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives this broker's signs of life, looks at those of the others, and declares dead who is.
 *
 * <p>Whoever notices a death first leaves a mark in place of the sign, in one act that spares who shows any life; views
 * follow the marks, so that all brokers agree. A broker that finds a mark in place of its own sign lives, and overwrites
 * it. One turn at a time.
 */
final class SignWatch {

    private static final Logger LOGGER = LoggerFactory.getLogger(SignWatch.class);

    private static final int ATTEMPTS = 3;

    private final int self;
    private final String member;
    private final FailureDetection settings;
    private final RegistryRow row;
    private final MembershipObserver observer;
    private final Executor executor;
    private final FailureDetector detector;
    private final String start = Long.toHexString(ThreadLocalRandom.current().nextLong());

    private LifeSigns.@Nullable Presence presence;
    private Map<String, Sign> signs = new HashMap<>();
    private Epoch epoch = Epoch.NONE;
    private String ownRow = "";
    /** The sign that this broker wrote last. */
    private String written = "";

    private long count;
    private int looksToSign;
    private int looksWithoutOwnConnection;
    private boolean refused;

    SignWatch(int self, FailureDetection settings, RegistryRow row, MembershipObserver observer, Executor executor) {
        this.self = self;
        this.member = Integer.toString(self);
        this.settings = settings;
        this.row = row;
        this.observer = observer;
        this.executor = executor;
        this.detector = new FailureDetector(member, settings.looksOfSilence());
    }

    /** Begins to stand for this broker. */
    void appear() {
        if (presence == null) {
            presence = settings.signs().appear(member);
        }
    }

    /**
     * One look, with whatever follows from it.
     *
     * @param rows the registry's rows as last seen
     * @return whether the rows should be looked at anew; fails with what the store says
     */
    CompletionStage<Boolean> turn(Map<String, String> rows) {
        long began = settings.nanoTime().getAsLong();
        return settings.signs()
                .look(member)
                .thenComposeAsync(found -> follow(found, began, rows), executor)
                .whenCompleteAsync((news, failure) -> ended(failure), executor);
    }

    private CompletionStage<Boolean> follow(LifeSigns.Look look, long began, Map<String, String> rows) {
        Map<String, Sign> found = look.signs();
        epoch = look.epoch();
        ownRow = look.row();
        if (settings.nanoTime().getAsLong() - began > settings.lateNanoseconds()) {
            detector.startAnew();
        }
        boolean unknown = showsWhoHasNoRow(found, rows);
        signs = new HashMap<>(found);
        if (row.isAnothers(ownRow)) {
            return CompletableFuture.completedFuture(true);
        }
        LifeSigns.Presence connection = presence;
        FailureDetector.Judgement judgement = detector.next(found, connection == null ? 0 : connection.attempts());
        CompletionStage<Boolean> news = signIfDue(found.get(member)).thenApply(done -> unknown || judgement.news());
        for (Map.Entry<String, Evidence> dead : judgement.dead().entrySet()) {
            String text = rows.get(dead.getKey());
            BrokerNode node = text == null ? null : BrokerNodeRow.read(dead.getKey(), text);
            if (text != null && node != null) {
                news = news.thenComposeAsync(before -> declare(node, text, dead.getValue()), executor);
            }
        }
        return news;
    }

    /** Whether a broker has just signed whose row wasn't there or was junk: it writes its row again, or has done so. */
    private boolean showsWhoHasNoRow(Map<String, Sign> found, Map<String, String> rows) {
        return found.entrySet().stream().anyMatch(entry -> {
            Sign before = signs.get(entry.getKey());
            String text = rows.get(entry.getKey());
            return !LifeSign.isMark(entry.getValue().text())
                    && (before == null || !before.text().equals(entry.getValue().text()))
                    && (text == null || BrokerNodeRow.read(entry.getKey(), text) == null);
        });
    }

    /** A broker whose connection the store doesn't see, or whose sign is not its own, is taken for dead soon: it signs at once. */
    private CompletionStage<Void> signIfDue(@Nullable Sign own) {
        looksWithoutOwnConnection = own != null && own.connections() > 0 ? 0 : looksWithoutOwnConnection + 1;
        LifeSigns.Presence connection = presence;
        if (connection != null && looksWithoutOwnConnection > settings.looksPerSign()) {
            looksWithoutOwnConnection = 1;
            connection.renew();
        }
        looksToSign--;
        boolean due = looksToSign <= 0
                || looksWithoutOwnConnection > 0
                || own == null
                || !own.text().equals(written);
        return due ? sign(own == null ? "" : own.text(), ATTEMPTS) : CompletableFuture.completedFuture(null);
    }

    private CompletionStage<Void> sign(String over, int attempts) {
        if (LifeSign.isMark(over) && count > 0) {
            observer.foundDeclaredDead();
            LOGGER.atWarn()
                    .addKeyValue("brokerId", self)
                    .addKeyValue("mark", over)
                    .log("another broker declared this one dead; it lives, and says so");
        }
        String next = LifeSign.alive(start, ++count);
        return settings.signs()
                .write(member, over, next)
                .thenComposeAsync(
                        there -> {
                            if (there != null) {
                                return attempts > 1
                                        ? sign(there, attempts - 1)
                                        : CompletableFuture.completedFuture(null);
                            }
                            written = next;
                            looksToSign = settings.looksPerSign();
                            return CompletableFuture.completedFuture(null);
                        },
                        executor);
    }

    private CompletionStage<Boolean> declare(BrokerNode node, String row, Evidence evidence) {
        String id = Integer.toString(node.id());
        Sign seen = Objects.requireNonNull(signs.get(id));
        String mark = LifeSign.dead(self, node.heartbeatMilliseconds());
        return settings.signs()
                .replace(id, seen, row, mark)
                .thenApplyAsync(
                        replaced -> {
                            if (replaced) {
                                signs.put(id, new Sign(mark, seen.connections()));
                                observer.declaredDead(node.id(), evidence);
                                LOGGER.atWarn()
                                        .addKeyValue("brokerId", node.id())
                                        .addKeyValue("evidence", evidence)
                                        .log("a broker is dead: its partitions and groups go to others");
                            }
                            return true;
                        },
                        executor);
    }

    private void ended(@Nullable Throwable failure) {
        if (failure == null) {
            if (refused) {
                LOGGER.atInfo().log("signs of life are accepted by the store again");
            }
            refused = false;
            return;
        }
        detector.startAnew();
        looksToSign = 0;
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!refused && cause instanceof StoreException refusal && refusal.kind() == StoreException.Kind.REFUSED) {
            refused = true;
            LOGGER.atWarn()
                    .setCause(cause)
                    .log(
                            "signs of life are refused by the store, so dead brokers are noticed by the age of their rows alone");
        }
    }

    /** The epoch as of the last look. */
    Epoch epoch() {
        return epoch;
    }

    /** This broker's row in the registry as of the last look, empty for none. */
    String ownRow() {
        return ownRow;
    }

    /** Whether the broker that has this one's id is marked as dead now; no when the store can't say. */
    CompletionStage<Boolean> findDeclaredDead(BrokerNode holder) {
        return settings.signs()
                .look(member)
                .handle((look, failure) -> look != null && isDeclaredDead(holder, look.signs()));
    }

    /** Whether a broker is marked as dead, as of the last look. */
    boolean isDeclaredDead(BrokerNode node) {
        return isDeclaredDead(node, signs);
    }

    private static boolean isDeclaredDead(BrokerNode node, Map<String, Sign> signs) {
        Sign sign = signs.get(Integer.toString(node.id()));
        return sign != null && LifeSign.declaresDead(sign.text(), node.heartbeatMilliseconds());
    }

    /** Stands for this broker no longer, and removes its sign; for when its row is gone. */
    CompletionStage<Void> leave() {
        if (presence != null) {
            presence.close();
        }
        return written.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : settings.signs().remove(member, written).thenAccept(removed -> {});
    }
}
