import assert from "node:assert/strict";
import { test } from "node:test";
import { thresholdsOf, type Rule } from "./rules";

const rule = (more: Partial<Rule>): Rule => ({
  name: "r",
  kind: "READING",
  measure: "temperature",
  severity: "warning",
  anyStream: true,
  ...more,
});

test("a chart draws the thresholds of its own kind, stream and measure", () => {
  const rules = [
    rule({ name: "hot", high: 90, severity: "critical" }),
    rule({ name: "range", low: 0, high: 50 }),
    rule({ name: "humid", measure: "humidity", high: 80 }),
    rule({ name: "other kind", kind: "ENERGY", high: 1 }),
    rule({ name: "roof", stream: "roof", anyStream: false, high: 70 }),
    rule({ name: "silent" }),
  ];
  const values = (stream: string) =>
    thresholdsOf(rules, "READING", stream, "temperature").map((t) => [t.name, t.value]);
  assert.deepEqual(values(""), [
    ["hot", 90],
    ["range", 0],
    ["range", 50],
  ]);
  assert.deepEqual(values("roof").at(-1), ["roof", 70]);
});

test("a chart of a group draws the thresholds of the figures that it shows", () => {
  const rules = ["temperature.avg", "temperature.p95", "temperature.sum", "temperature.in.avg", "events"].map(
    (measure) => rule({ name: measure, measure, high: 30 }),
  );
  const drawn = thresholdsOf(rules, "READING", "", "temperature").map((t) => t.name);
  assert.deepEqual(drawn, ["temperature.avg", "temperature.p95"]);
});
