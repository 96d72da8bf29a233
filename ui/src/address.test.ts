import assert from "node:assert/strict";
import { test } from "node:test";
import { withParams } from "./address";

test("a change keeps the page and the other parameters", () => {
  assert.equal(
    withParams("#/devices/a%2Fb?kind=READING&m=co2", { m: "pm25" }),
    "#/devices/a%2Fb?kind=READING&m=pm25",
  );
  assert.equal(withParams("#/devices/a?with=b&with=c", { m: "x" }), "#/devices/a?with=b&with=c&m=x");
});

test("null removes a parameter, and an empty value stays", () => {
  assert.equal(withParams("#/devices?q=a&sort=seen", { q: null }), "#/devices?sort=seen");
  assert.equal(withParams("#/devices?q=a", { q: null }), "#/devices");
  assert.equal(withParams("#/devices/a", { m: "" }), "#/devices/a?m=");
});

test("the first page has an address too", () => assert.equal(withParams("", { q: "a" }), "#/?q=a"));

test("a value is escaped", () =>
  assert.equal(withParams("#/devices", { q: "a&b=c?d#e" }), "#/devices?q=a%26b%3Dc%3Fd%23e"));
