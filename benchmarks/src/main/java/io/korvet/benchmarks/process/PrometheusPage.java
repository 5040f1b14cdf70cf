package io.korvet.benchmarks.process;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What a broker's meters said at one moment. */
public final class PrometheusPage {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final String text;

    private PrometheusPage(String text) {
        this.text = text;
    }

    /** Asks a broker that has such a page. */
    public static PrometheusPage of(Contender contender) throws IOException, InterruptedException {
        URI address = URI.create("http://127.0.0.1:" + contender.httpPort() + "/actuator/prometheus");
        HttpRequest request =
                HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20)).build();
        return new PrometheusPage(
                HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    /** A series' value, 0 when it isn't there. */
    public double value(String series) {
        return text.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(0);
    }
}
