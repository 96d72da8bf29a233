// Appends events one by one as a program with ElectroDB does: a transaction of two
// items, the event on condition that it is new, and current on condition that it is
// older. It prints how many events it appended in how many seconds.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { Entity, Service } from "electrodb";

const [endpoint, table, seriesCount, perSeries, concurrency, warm] = process.argv.slice(2);
const client = new DynamoDBClient({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
});

const reading = {
  device: { type: "string", required: true },
  at: { type: "string", required: true },
  hash: { type: "string" },
  arrived: { type: "string" },
  expiresAt: { type: "number" },
  battery: { type: "number" },
  humidity: { type: "number" },
  temperature: { type: "number" },
};
const schema = (entity, attributes, sk) => ({
  model: { entity, version: "1", service: "iot" },
  attributes,
  indexes: { primary: { pk: { field: "pk", composite: ["device"] }, sk: { field: "sk", composite: sk } } },
});
const event = new Entity(schema("event", reading, ["at"]), { client, table });
const current = new Entity(schema("current", reading, []), { client, table });
const iot = new Service({ event, current }, { client, table });

async function append(device, i) {
  const at = new Date(Date.UTC(2026, 3, 20, 14) + i * 1000).toISOString();
  const fields = {
    hash: "nrcnk1N2IKA2YjYhJgjMHg==",
    arrived: at,
    expiresAt: 1779285601,
    battery: 100 - (i % 100),
    humidity: 40 + (i % 9),
    temperature: 18 + (i % 100) / 100,
  };
  const result = await iot.transaction
    .write(({ event, current }) => [
      event.create({ device, at, ...fields }).commit(),
      current
        .upsert({ device, ...fields, at })
        .where((attr, op) => `${op.notExists(attr.at)} OR ${op.lt(attr.at, at)}`)
        .commit(),
    ])
    .go();
  if (result.canceled) {
    throw new Error(JSON.stringify(result.data));
  }
}

async function appendAll(name, each) {
  const series = Array.from({ length: Number(seriesCount) }, (_, i) => `${name}_${String(i).padStart(4, "0")}`);
  await Promise.all(
    Array.from({ length: Number(concurrency) }, async () => {
      for (let device = series.shift(); device; device = series.shift()) {
        for (let i = 0; i < Number(each); i++) {
          await append(device, i);
        }
      }
    }),
  );
}

await appendAll("warm", warm);
const began = performance.now();
await appendAll("sensor", perSeries);
const seconds = (performance.now() - began) / 1000;
console.log(JSON.stringify({ events: Number(seriesCount) * Number(perSeries), seconds }));
