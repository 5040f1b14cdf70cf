package io.korvet.server.cli;

import io.korvet.server.KorvetServer;
import io.korvet.server.RedisUse;
import io.korvet.server.StartException;
import io.korvet.server.Version;
import io.korvet.server.config.ConfigReader;
import io.korvet.server.config.KorvetConfig;
import io.korvet.server.config.LoadedConfig;
import io.korvet.server.dev.DataDirectory;
import io.korvet.server.dev.DevRedis;
import io.korvet.store.StoreException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code korvet server}: runs until SIGTERM or Ctrl-C. */
@Command(name = "server", description = "Run a broker.", mixinStandardHelpOptions = true, sortOptions = false)
final class ServerCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(ServerCommand.class);

    /** With --dev these hold unless they are set: metrics without credentials, and groups that start at once. */
    private static final Map<String, String> DEV_DEFAULTS =
            Map.of("admin.anonymous-prometheus", "true", "broker.rebalance-delay", "0s");

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    private final ConfigOptions options = new ConfigOptions();

    @Option(names = "--port", paramLabel = "PORT", description = "The Kafka port: --set broker.port=PORT.")
    private @Nullable String port;

    @Option(names = "--http-port", paramLabel = "PORT", description = "The HTTP port: --set admin.port=PORT.")
    private @Nullable String httpPort;

    @Option(
            names = "--redis-uri",
            paramLabel = "URI",
            description = "The Redis to use: --set redis.uri=URI. With --dev: instead of one of its own.")
    private @Nullable String redisUri;

    @Option(names = "--dev", description = "For development: with a Redis of its own.")
    private boolean dev;

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "With --dev: where the data is kept (default: data, beside bin).")
    private @Nullable Path dataDirectory;

    @Option(names = "--ephemeral", description = "With --dev: keep nothing.")
    private boolean ephemeral;

    @Option(
            names = "--tiering",
            description = "With --dev: new topics go to an archive in the data directory after seconds, to watch it.")
    private boolean tiering;

    @Override
    public Integer call() throws InterruptedException {
        checkCombination();
        ConfigReader reader = withOptions(options.reader());
        if (tiering) {
            // Where it is to be is known when there is a folder; that there will be one counts for the topics'
            // settings.
            reader.fallback("storage.remote.path", "file:///archive", "--tiering");
        }
        LoadedConfig first = reader.read();
        DataDirectory data = dev && redisUri == null ? dataDirectory() : null;
        LoadedConfig loaded = dev ? withDevDefaults(first, data) : first;
        DevRedis redis = data == null ? null : devRedis(loaded, data);
        KorvetConfig config = redis == null
                ? loaded.config()
                : loaded.config().withRedis(loaded.config().redis().at("127.0.0.1", redis.port()));
        KorvetServer server = new KorvetServer(config, redis == null ? RedisUse.SHARED : RedisUse.PRIVATE);
        Ending ending = new Ending(server, redis);
        Runtime.getRuntime().addShutdownHook(new Thread(ending, "korvet-stop"));
        try {
            server.start();
        } catch (RuntimeException | Error e) {
            ending.failed();
            if (e.getCause() instanceof StoreException) {
                throw redisProblem(config, e);
            }
            throw e;
        }
        if (dev) {
            greet(config, server, redis);
        }
        ending.await();
        return 0;
    }

    private static StartException redisProblem(KorvetConfig config, Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        String problem = message.startsWith("Redis at ")
                ? message
                : "Redis at " + config.redis().shownUri() + " can't be used: " + message;
        return new StartException(
                problem + "\nStart one there, name another with --redis-uri or korvet.redis.uri, or use --dev, which"
                        + " runs one of its own",
                failure);
    }

    private void checkCombination() {
        if (!dev && (ephemeral || dataDirectory != null || tiering)) {
            throw new ParameterException(spec.commandLine(), "--data-dir, --ephemeral and --tiering go with --dev");
        }
        if (ephemeral && dataDirectory != null) {
            throw new ParameterException(spec.commandLine(), "--ephemeral keeps nothing, so it takes no --data-dir");
        }
        if (redisUri != null && (ephemeral || (dataDirectory != null && !tiering))) {
            throw new ParameterException(
                    spec.commandLine(), "with --redis-uri there is no Redis of its own for --data-dir or --ephemeral");
        }
    }

    private LoadedConfig withDevDefaults(LoadedConfig first, @Nullable DataDirectory data) {
        ConfigReader reader = withOptions(options.reader());
        Map<String, String> defaults = new LinkedHashMap<>(DEV_DEFAULTS);
        if (tiering) {
            Path root = data == null ? dataRoot().toAbsolutePath().normalize() : data.root();
            defaults.putAll(TieringDemo.defaults(root, first.config().topics().size()));
        }
        defaults.forEach(
                (key, value) -> reader.fallback(key, value, DEV_DEFAULTS.containsKey(key) ? "--dev" : "--tiering"));
        try {
            return reader.read();
        } catch (RuntimeException e) {
            if (data != null) {
                data.close();
            }
            throw e;
        }
    }

    private ConfigReader withOptions(ConfigReader reader) {
        if (port != null) {
            reader.setting("broker.port", port, "--port");
        }
        if (httpPort != null) {
            reader.setting("admin.port", httpPort, "--http-port");
        }
        if (redisUri != null) {
            reader.setting("redis.uri", redisUri, "--redis-uri");
        }
        return reader;
    }

    private DataDirectory dataDirectory() {
        return ephemeral ? DataDirectory.ephemeral() : DataDirectory.lasting(dataRoot());
    }

    private static DevRedis devRedis(LoadedConfig loaded, DataDirectory data) {
        for (String key : new String[] {"korvet.redis.uri", "korvet.redis.host"}) {
            loaded.sourceOf(key)
                    .ifPresent(source -> LOG.warn(
                            "{} ({}) has no effect: --dev runs a Redis of its own. Pass --redis-uri for another",
                            key,
                            source));
        }
        DevRedis redis = DevRedis.start(data, loaded.config().redis().port());
        redis.onUnexpectedEnd(() -> LOG.error("Redis has ended by itself; it said:\n{}", redis.lastWords()));
        return redis;
    }

    private Path dataRoot() {
        return dataDirectory != null
                ? dataDirectory
                : Path.of(System.getProperty("korvet.home", ""), "data").toAbsolutePath();
    }

    private void greet(KorvetConfig config, KorvetServer server, @Nullable DevRedis redis) {
        String kafka = config.broker().primaryListener().hostForClients() + ":" + server.kafkaPort();
        String cli = redis == null
                ? "redis-cli -u " + config.redis().shownUri()
                : redis.port() == DevRedis.USUAL_PORT ? "redis-cli" : "redis-cli -p " + redis.port();
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.println("Korvet " + Version.number() + " is ready (Ctrl-C ends it)");
        out.println("  Kafka   " + kafka);
        if (server.httpPort() > 0) {
            out.println("  HTTP    http://localhost:" + server.httpPort() + "/actuator/health");
        }
        out.println("  Redis   " + cli + (redis == null ? "" : "    (Redis " + redis.version() + ", " + kept() + ")"));
        out.println("Try");
        out.println("  echo hello | kcat -b " + kafka + " -t greetings -P");
        out.println("  kcat -b " + kafka + " -t greetings -C -e");
        out.println("  " + cli + " XRANGE '" + config.namespace() + ":storage:local:{greetings:0}:0' - + COUNT 2");
        out.println();
        if (tiering) {
            TieringDemo.explain(out, config, kafka, cli);
        }
        out.flush();
    }

    private String kept() {
        return ephemeral ? "nothing is kept" : "data in " + dataRoot();
    }

    /** Stops the broker, then its Redis; the exit code says whether that went well. */
    private static final class Ending implements Runnable {

        private final KorvetServer server;
        private final @Nullable DevRedis redis;
        private final CountDownLatch never = new CountDownLatch(1);
        private volatile int code;

        Ending(KorvetServer server, @Nullable DevRedis redis) {
            this.server = server;
            this.redis = redis;
        }

        void await() throws InterruptedException {
            never.await();
        }

        void failed() {
            code = 1;
        }

        @Override
        public void run() {
            try {
                server.stop();
            } catch (RuntimeException e) {
                LOG.error("The broker did not stop cleanly", e);
                code = 1;
            }
            if (redis != null) {
                redis.stop();
            }
            // A signal would make it 128 + its number, which reads as a failure although everything ended well.
            Runtime.getRuntime().halt(code);
        }
    }
}
