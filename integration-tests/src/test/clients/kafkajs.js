// Creates a topic, produces, consumes in a group, commits, resumes. Arguments: folder of node_modules, bootstrap, topic, group.
const [folder, bootstrap, topic, group] = process.argv.slice(2);
const { Kafka, CompressionTypes, logLevel } = require(folder + "/node_modules/kafkajs");
const kafka = new Kafka({ brokers: [bootstrap], logLevel: logLevel.ERROR });

async function produce(from, to) {
  const producer = kafka.producer();
  await producer.connect();
  for (let i = from; i < to; i++) {
    await producer.send({ topic, compression: CompressionTypes.GZIP, messages: [{ key: "k", value: String(i) }] });
  }
  await producer.disconnect();
}

async function consume(count) {
  const values = [];
  const consumer = kafka.consumer({ groupId: group });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("only " + values)), 60000).unref();
    consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        values.push(message.value.toString());
        const offset = (BigInt(message.offset) + 1n).toString();
        await consumer.commitOffsets([{ topic, partition, offset }]);
        if (values.length === count) resolve();
      },
    });
  });
  await consumer.disconnect();
  return values.join(" ");
}

(async () => {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1 }] });
  await admin.disconnect();
  await produce(0, 10);
  console.log("first=" + (await consume(10)));
  await produce(10, 15);
  console.log("resumed=" + (await consume(5)));
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
