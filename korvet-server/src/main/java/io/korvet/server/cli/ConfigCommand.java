package io.korvet.server.cli;

import io.korvet.server.config.LoadedConfig;
import io.korvet.server.config.LoadedConfig.Effective;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code korvet config}: the configuration a server would have. */
@Command(
        name = "config",
        description = "Print the effective configuration with where each value comes from, secrets masked.",
        mixinStandardHelpOptions = true)
final class ConfigCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    private final ConfigOptions options = new ConfigOptions();

    @Override
    public Integer call() {
        LoadedConfig loaded = options.reader().read();
        int width = loaded.effective().stream()
                .mapToInt(entry -> entry.key().length() + entry.shown().length())
                .max()
                .orElse(0);
        PrintWriter out = spec.commandLine().getOut();
        for (Effective entry : loaded.effective()) {
            String pair = entry.key() + "=" + entry.shown();
            out.println(pair + " ".repeat(width + 1 - pair.length()) + "  # " + entry.source());
        }
        out.flush();
        return 0;
    }
}
