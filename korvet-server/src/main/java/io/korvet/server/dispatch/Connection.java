package io.korvet.server.dispatch;

import java.net.InetSocketAddress;

/**
 * A client's connection.
 *
 * @param id names it in logs
 * @param listener the name of the listener it came through
 * @param peer the client's address
 */
public record Connection(String id, String listener, InetSocketAddress peer) {}
