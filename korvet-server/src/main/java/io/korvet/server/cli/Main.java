package io.korvet.server.cli;

import io.korvet.server.StartException;
import io.korvet.server.config.ConfigException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** {@code bin/korvet}: exit code 0 after a clean end, 1 when something failed, 2 for a command line that makes no sense. */
@Command(
        name = "korvet",
        description = "A Kafka-protocol broker that keeps every record as a readable entry in Redis Streams.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionCommand.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ServerCommand.class, ConfigCommand.class, VersionCommand.class, HelpCommand.class})
public final class Main {

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main()).setExecutionExceptionHandler((failure, command, parsed) -> {
            PrintWriter err = command.getErr();
            if (failure instanceof ConfigException || failure instanceof StartException) {
                err.println("korvet: " + failure.getMessage());
            } else {
                err.println("korvet: this should not have happened; please report it with the lines below");
                failure.printStackTrace(err);
            }
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        });
    }
}
