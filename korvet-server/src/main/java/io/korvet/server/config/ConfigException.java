package io.korvet.server.config;

import java.util.List;
import java.util.stream.Collectors;

/** All that is wrong with a configuration; the message is for people, one problem a line. */
public final class ConfigException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<ConfigProblem> problems;

    /** Of at least one problem. */
    public ConfigException(List<ConfigProblem> problems) {
        super((problems.size() == 1
                        ? "The configuration has a problem:"
                        : "The configuration has " + problems.size() + " problems:")
                + problems.stream().map(problem -> "\n  " + problem).collect(Collectors.joining()));
        this.problems = List.copyOf(problems);
    }

    /** The problems, in the order of the keys. */
    public List<ConfigProblem> problems() {
        return problems;
    }
}
