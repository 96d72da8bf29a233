import assert from "node:assert/strict";
import { test } from "node:test";
import { similar } from "./similar";

const ids = ["boiler-1", "boiler-2", "boiler-10", "hall", "yard", "Sensor_12"];

test("a letter that is wrong, missing or added is found", () => {
  assert.deepEqual(similar("boilr-2", ids)[0], "boiler-2");
  assert.deepEqual(similar("hal", ids), ["hall"]);
  assert.deepEqual(similar("halll", ids), ["hall"]);
  assert.deepEqual(similar("sensor_12", ids), ["Sensor_12"]);
});

test("a part of an id finds the ids that contain it", () =>
  assert.deepEqual(similar("boiler-1", ids).slice(0, 2), ["boiler-1", "boiler-10"]));

test("what is far from all ids suggests none", () => assert.deepEqual(similar("garage", ids), []));
