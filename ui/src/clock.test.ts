import { strict as assert } from "node:assert";
import { test } from "node:test";
import { currentTime, heardAt } from "./clock";

const date = (by: number) => new Date(Date.now() + by).toUTCString();
const ahead = () => Math.round((currentTime() - Date.now()) / 1000);

test("the time is the browser's until a response says another one", () => {
  assert.equal(ahead(), 0);
  heardAt(null);
  heardAt("yesterday");
  heardAt(date(-1000));
  assert.equal(ahead(), 0);
});

test("the time follows a clock that is moved, and moved back", () => {
  heardAt(date(48 * 3600e3));
  assert.ok(Math.abs(ahead() - 48 * 3600) <= 1);
  const moved = ahead();
  heardAt(date(48 * 3600e3 + 900)); // whole seconds, and the way of a response
  assert.ok(Math.abs(ahead() - moved) <= 1);
  heardAt(date(0));
  assert.ok(Math.abs(ahead()) <= 1);
});
