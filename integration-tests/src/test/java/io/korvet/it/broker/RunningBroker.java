package io.korvet.it.broker;

/**
 * A broker somebody else started.
 *
 * @param kind whose broker it is
 * @param bootstrap host and port for clients
 */
record RunningBroker(Kind kind, String bootstrap) implements TestBroker {

    @Override
    public long residentBytes() {
        return 0;
    }

    @Override
    public void kill() {
        throw new UnsupportedOperationException("not ours to kill");
    }

    @Override
    public void stop() {
        throw new UnsupportedOperationException("not ours to stop");
    }

    @Override
    public void start() {
        // it runs already
    }

    @Override
    public void close() {
        // it stays
    }
}
