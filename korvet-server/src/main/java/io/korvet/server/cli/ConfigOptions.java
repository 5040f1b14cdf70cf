package io.korvet.server.cli;

import io.korvet.server.config.ConfigReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say where the configuration comes from. */
final class ConfigOptions {

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A YAML file (docs/configuration.md). Environment variables KORVET_… and --set go before it.")
    @Nullable
    Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A key of the configuration, such as broker.id=1. May be given many times.")
    Map<String, String> settings = new LinkedHashMap<>();

    /** A reader that has taken file, environment and {@code --set}. */
    ConfigReader reader() {
        ConfigReader reader = new ConfigReader();
        if (file != null) {
            reader.file(file);
        }
        return reader.environment(System.getenv()).settings(settings);
    }
}
