package io.korvet.tiering.iceberg;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.Endpoint;
import org.apache.iceberg.rest.RESTCatalogProperties.SnapshotMode;
import org.apache.iceberg.rest.RESTSerializers;
import org.apache.iceberg.rest.RESTUtil;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.jspecify.annotations.Nullable;

/**
 * A catalog that speaks Iceberg's REST protocol at a free port of the loopback address: Iceberg's own handlers over a
 * catalog in a database. One request at a time.
 */
final class RestCatalogServer implements AutoCloseable {

    private static final int CLOSED = 0;
    private static final String SEPARATOR = "%1F";
    private static final List<Endpoint> ENDPOINTS = List.of(
            Endpoint.V1_LIST_NAMESPACES,
            Endpoint.V1_CREATE_NAMESPACE,
            Endpoint.V1_LOAD_NAMESPACE,
            Endpoint.V1_NAMESPACE_EXISTS,
            Endpoint.V1_LIST_TABLES,
            Endpoint.V1_CREATE_TABLE,
            Endpoint.V1_LOAD_TABLE,
            Endpoint.V1_TABLE_EXISTS,
            Endpoint.V1_UPDATE_TABLE,
            Endpoint.V1_DELETE_TABLE);

    /** What becomes of a request: whether it is carried out, and the status it is answered with in any case. */
    private record Fault(boolean isCarriedOut, int status) {}

    private final HttpServer http;
    private final JdbcCatalog catalog;
    private final ObjectMapper json = new ObjectMapper();
    private final Queue<Fault> commitFaults = new ConcurrentLinkedQueue<>();
    private volatile int refusal;

    private RestCatalogServer(JdbcCatalog catalog) throws IOException {
        this.catalog = catalog;
        json.setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
        json.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
        json.setPropertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE);
        RESTSerializers.registerAll(json);
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/v1/", this::serve);
        http.start();
    }

    /** Starts one whose tables lie below a directory, beside a database of their names. */
    static RestCatalogServer start(Path database, Path warehouse) {
        Map<String, String> properties = Map.of(
                "type",
                "jdbc",
                "uri",
                "jdbc:sqlite:" + database + "?busy_timeout=20000",
                "jdbc.schema-version",
                "V1",
                "warehouse",
                "file://" + warehouse,
                "io-impl",
                LocalFileIO.class.getName());
        try {
            return new RestCatalogServer(
                    (JdbcCatalog) CatalogUtil.buildIcebergCatalog("served", properties, new Configuration(false)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What clients call {@code uri}. */
    URI uri() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
    }

    /** Carries out the next commit and answers with this status, or none and closes the connection. */
    void loseTheAnswerOfACommit(int status) {
        commitFaults.add(new Fault(true, status));
    }

    /** Answers the next commit with this status, or none and closes the connection, and doesn't carry it out. */
    void failACommit(int status) {
        commitFaults.add(new Fault(false, status));
    }

    /** Answers everything with a status from now on. */
    void refuse(int status) {
        refusal = status;
    }

    @Override
    public void close() {
        http.stop(0);
        catalog.close();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String[] path = Arrays.stream(exchange.getRequestURI().getRawPath().split("/", -1))
                    .skip(2)
                    .toArray(String[]::new);
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean isCommit = exchange.getRequestMethod().equals("POST") && path.length == 4;
            Fault fault = refusal != 0 ? new Fault(false, refusal) : isCommit ? commitFaults.poll() : null;
            if (fault == null || fault.isCarriedOut) {
                int status;
                Object answer;
                try {
                    answer = carryOut(
                            exchange.getRequestMethod(),
                            path,
                            exchange.getRequestURI().getQuery(),
                            body);
                    status = answer == null ? 204 : 200;
                } catch (RuntimeException e) {
                    status = status(e);
                    answer = error(status, e.getClass().getSimpleName(), String.valueOf(e.getMessage()));
                }
                if (fault == null) {
                    send(exchange, status, answer);
                }
            }
            if (fault != null && fault.status != CLOSED) {
                send(exchange, fault.status, error(fault.status, "Injected", "as the test wants it"));
            }
        }
    }

    private void send(HttpExchange exchange, int status, @Nullable Object answer) throws IOException {
        if (answer == null || exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        byte[] bytes = json.writeValueAsBytes(answer);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private @Nullable Object carryOut(String method, String[] path, @Nullable String query, byte[] body)
            throws IOException {
        Namespace namespace =
                path.length > 1 ? RESTUtil.decodeNamespaceAsPathSegment(path[1], SEPARATOR) : Namespace.empty();
        TableIdentifier table = path.length > 3 ? TableIdentifier.of(namespace, path[3]) : null;
        if (table != null) {
            switch (method) {
                case "GET" -> {
                    return CatalogHandlers.loadTable(catalog, table, SnapshotMode.ALL);
                }
                case "POST" -> {
                    return CatalogHandlers.updateTable(catalog, table, json.readValue(body, UpdateTableRequest.class));
                }
                case "HEAD" -> CatalogHandlers.tableExists(catalog, table);
                default -> {
                    if (query != null && query.contains("purgeRequested=true")) {
                        CatalogHandlers.purgeTable(catalog, table);
                    } else {
                        CatalogHandlers.dropTable(catalog, table);
                    }
                }
            }
            return null;
        }
        return switch (method + " " + path.length) {
            case "GET 1" ->
                path[0].equals("config")
                        ? ConfigResponse.builder().withEndpoints(ENDPOINTS).build()
                        : CatalogHandlers.listNamespaces(catalog, namespace);
            case "POST 1" ->
                CatalogHandlers.createNamespace(catalog, json.readValue(body, CreateNamespaceRequest.class));
            case "GET 2" -> CatalogHandlers.loadNamespace(catalog, namespace);
            case "HEAD 2" -> {
                CatalogHandlers.namespaceExists(catalog, namespace);
                yield null;
            }
            case "GET 3" -> CatalogHandlers.listTables(catalog, namespace);
            case "POST 3" ->
                CatalogHandlers.createTable(catalog, namespace, json.readValue(body, CreateTableRequest.class));
            default -> throw new IllegalArgumentException(method + " " + String.join("/", path));
        };
    }

    private static ErrorResponse error(int status, String type, String message) {
        return ErrorResponse.builder()
                .responseCode(status)
                .withType(type)
                .withMessage(message)
                .build();
    }

    private static int status(RuntimeException failure) {
        if (failure instanceof NoSuchNamespaceException || failure instanceof NoSuchTableException) {
            return 404;
        }
        if (failure instanceof AlreadyExistsException || failure instanceof CommitFailedException) {
            return 409;
        }
        return failure instanceof IllegalArgumentException || failure instanceof ValidationException ? 400 : 500;
    }
}
