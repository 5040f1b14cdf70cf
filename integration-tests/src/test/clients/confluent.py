"""Creates a topic, produces, consumes in a group, commits, resumes. Arguments: bootstrap, topic, group."""
import sys
import time

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

bootstrap, topic, group = sys.argv[1:]


def produce(start, end):
    errors = []
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "compression.type": "zstd"})
    for i in range(start, end):
        producer.produce(topic, key="k", value=str(i), on_delivery=lambda error, _: error and errors.append(error))
    if producer.flush(30) or errors:
        sys.exit("not delivered: %s" % errors)


def consume(count):
    values = []
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False}
    )
    consumer.subscribe([topic])
    end = time.monotonic() + 60
    while len(values) < count and time.monotonic() < end:
        message = consumer.poll(1.0)
        if message is not None:
            if message.error():
                sys.exit(str(message.error()))
            values.append(message.value().decode())
    consumer.commit(asynchronous=False)
    consumer.close()
    return " ".join(values)


admin = AdminClient({"bootstrap.servers": bootstrap})
for future in admin.create_topics([NewTopic(topic, 1, 1)]).values():
    future.result()
produce(0, 10)
print("first=" + consume(10))
produce(10, 15)
print("resumed=" + consume(5))
