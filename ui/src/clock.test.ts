import { strict as assert } from "node:assert";
import { test } from "node:test";
import { currentTime, heardAt } from "./clock";

// Every part of a second: the header of a response has whole seconds.
const times = Array.from({ length: 1000 }, (_, ms) => Date.UTC(2026, 3, 20, 12) + ms);
const hear = (by: number, here: number) => heardAt(new Date(here + by).toUTCString(), here);
const ahead = () => Math.round((currentTime() - Date.now()) / 1000);

test("the time is the browser's until a response says another one", () => {
  assert.equal(ahead(), 0);
  heardAt(null);
  heardAt("yesterday");
  for (const here of times) hear(-1000, here);
  assert.equal(ahead(), 0);
});

test("the time follows a clock that is moved, and moved back", () => {
  for (const here of times) {
    hear(48 * 3600e3, here);
    assert.ok(Math.abs(ahead() - 48 * 3600) <= 1);
    const moved = ahead();
    hear(48 * 3600e3 + 900, here); // whole seconds, and the way of a response
    assert.ok(Math.abs(ahead() - moved) <= 1);
    hear(0, here);
    assert.ok(Math.abs(ahead()) <= 1);
  }
});
