package io.korvet.server.cli;

import io.korvet.server.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code korvet version}. */
@Command(name = "version", description = "Tell the version of Korvet and of Java.")
final class VersionCommand implements Callable<Integer>, IVersionProvider {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public String[] getVersion() {
        return new String[] {"Korvet " + Version.number() + " on Java " + Runtime.version()};
    }

    @Override
    public Integer call() {
        spec.commandLine().getOut().println(getVersion()[0]);
        return 0;
    }
}
