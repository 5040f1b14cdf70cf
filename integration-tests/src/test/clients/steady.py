"""Produces numbers in turn to all partitions until a file is there. Arguments: bootstrap, topic, partitions, file."""
import os
import sys

from confluent_kafka import Producer

bootstrap, topic, partitions, end = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
fatal = []
failed = []


def failure(error):
    if error.fatal():
        fatal.append(str(error))


producer = Producer(
    {
        "bootstrap.servers": bootstrap,
        "enable.idempotence": True,
        "linger.ms": 1,
        "request.timeout.ms": 3000,
        "socket.timeout.ms": 4000,
        "message.timeout.ms": 240000,
        "reconnect.backoff.max.ms": 500,
        "error_cb": failure,
    }
)
number = 0
while not os.path.exists(end) and not fatal:
    for partition in range(partitions):
        producer.produce(
            topic,
            value="python %d" % number,
            partition=partition,
            on_delivery=lambda error, _: error and failed.append(str(error)),
        )
    number += 1
    producer.poll(0.01)
left = 0 if fatal else producer.flush(60)
if fatal or failed or left:
    sys.exit("fatal: %s, not delivered: %s, left: %d" % (fatal, failed[:5], left))
print("sent=%d" % number)
