package io.korvet.store.redis;

import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;

/**
 * The driver's events, with somebody who hears at once why a connection can't be made again.
 *
 * @param events all events go on to it
 * @param heard is called by the driver's threads
 */
record ReconnectFailures(EventBus events, Consumer<Throwable> heard) implements EventBus {

    @Override
    public Flux<Event> get() {
        return events.get();
    }

    @Override
    public void publish(Event event) {
        if (event instanceof ReconnectFailedEvent failed) {
            heard.accept(failed.getCause());
        }
        events.publish(event);
    }
}
