package io.korvet.benchmarks.process;

import java.util.List;

/**
 * A system that takes part in a run: its processes and the port to speak to.
 *
 * @param name its column in the tables
 * @param protocol what is spoken at the port
 * @param port of the loopback address
 * @param httpPort where its meters are, 0 when it has none
 * @param processes to be accounted for and ended, in the order they started
 */
public record Contender(String name, Protocol protocol, int port, int httpPort, List<ChildProcess> processes)
        implements AutoCloseable {

    /** What a contender speaks. */
    public enum Protocol {
        /** Kafka's protocol. */
        KAFKA,
        /** Redis's protocol, without a broker in between: the ceiling. */
        REDIS
    }

    /** Keeps the list. */
    public Contender {
        processes = List.copyOf(processes);
    }

    /** For Kafka's clients. */
    public String bootstrap() {
        return "127.0.0.1:" + port;
    }

    /** Ends the processes, the last started first. */
    @Override
    public void close() {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
    }
}
