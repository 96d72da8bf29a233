import assert from "node:assert/strict";
import { test } from "node:test";
import { countsText, eventCount, figures, figureText, mainFigure, mainOf, measuresIn, state } from "./figures";
import { figureUnit, headText, mainUnit, withoutValues, withUnit } from "./figures";
import type { Rollup } from "./api";
import type { Figures } from "./figures";

const rollup = (measures: Record<string, Figures>, more: Partial<Rollup> = {}) =>
  ({ events: 3, exact: true, open: false, truncated: false, unreadable: 0, measures, ...more }) as Rollup;

test("a measure that the kind does not declare can be chosen, before declared ones without data", () => {
  const rows = [
    rollup({ usage_idle: { count: 1 } }),
    rollup({ usage_user: { count: 1 }, usage_idle: { count: 1 } }),
  ];
  assert.deepEqual(measuresIn(rows, []), ["usage_idle", "usage_user", eventCount]);
  assert.deepEqual(
    measuresIn([rollup({ co2: { count: 1 }, value: { count: 2 } })], ["temperature", "value"]),
    ["value", "co2", "temperature", eventCount],
  );
});

test("a measure of which all values are invalid is data", () =>
  assert.deepEqual(measuresIn([rollup({ co2: { count: 0, invalid: 3 } })], []), ["co2", eventCount]));

test("an empty plot of a measure says that no value is valid, where that is known", () => {
  const invalid = rollup({ co2: { count: 0, invalid: 3 } });
  const said = (...rows: Rollup[]) => withoutValues(rows, "co2");
  assert.equal(said(invalid, invalid), "No event of this range has a valid co2: 6 values are invalid.");
  assert.equal(said(rollup({})), "No event of this range has a valid co2.");
  assert.equal(said(invalid, rollup({ co2: { count: 1, invalid: 2 } })), undefined);
  assert.equal(said(invalid, rollup({}, { truncated: true })), undefined);
  assert.equal(said(rollup({}, { events: 0 })), undefined);
  assert.equal(withoutValues([invalid], eventCount), undefined);
});

test("a mean of one of three values does not look like a mean of three", () => {
  assert.deepEqual(countsText(3, { count: 1, invalid: 2 } as Figures), ["1 value", "2 invalid"]);
  assert.deepEqual(countsText(3, { count: 3, invalid: 0 } as Figures), []);
  assert.deepEqual(countsText(3, undefined), ["0 values"]);
});

test("the state names what cannot be trusted", () => {
  assert.equal(state(rollup({})), "exact");
  assert.equal(state(rollup({}, { open: true })), "open");
  assert.equal(
    state(rollup({}, { exact: false, truncated: true, unreadable: 2 })),
    "inexact, cut, 2 unreadable",
  );
});

test("only the percentiles are estimates, and counts have no decimals", () => {
  assert.deepEqual(
    figures.filter((f) => f.estimate).map((f) => f.name),
    ["p50", "p95", "p99"],
  );
  const text = (name: string, x: number) => figureText(figures.find((f) => f.name === name)!, x, 2);
  assert.equal(text("p95", 25.672), "≈ 25.7");
  assert.equal(text("avg", 1234567.256), "1,234,567.26");
  assert.equal(text("count", 3), "3");
});

test("a counter is drawn by its increase, and by its rate where buckets have several lengths", () => {
  const bucket = (tier: string, energy: Figures) => rollup({ energy }, { tier });
  const hours = [bucket("hour", { avg: 100 }), bucket("hour", { avg: 102, increase: 3, rate: 0.1 })];
  assert.equal(mainOf(hours, "energy"), "increase");
  assert.deepEqual(
    hours.map((r) => mainFigure(r, "energy", "increase")),
    [null, 3], // no step ends in the first bucket
  );
  assert.equal(mainOf([...hours, bucket("day", { increase: 70 })], "energy"), "rate");
  assert.equal(mainOf([bucket("hour", { avg: 20 })], "energy"), "avg");
  assert.equal(mainOf(hours, eventCount), "events");
});

test("figures of values have the unit of their measure, numbers of values have none", () => {
  const unit = (name: string, of?: string) => figureUnit(figures.find((f) => f.name === name)!, of);
  assert.deepEqual(["min", "p95", "increase", "rate"].map((n) => unit(n, "kWh")), [
    "kWh",
    "kWh",
    "kWh",
    "kWh/s",
  ]);
  assert.deepEqual(["count", "invalid", "resets"].map((n) => unit(n, "kWh")), ["", "", ""]);
  assert.equal(unit("rate"), "");
  assert.deepEqual([mainUnit("avg", "°C"), mainUnit("rate", "kWh"), mainUnit("events", "°C")], ["°C", "kWh/s", ""]);
});

test("a value that is not known has no unit, and a measure without one is as before", () => {
  assert.deepEqual([withUnit("21.5", "°C"), withUnit("–", "°C"), withUnit("21.5")], ["21.5 °C", "–", "21.5"]);
  assert.deepEqual([headText("humidity", "%"), headText("co2")], ["humidity (%)", "co2"]);
});
