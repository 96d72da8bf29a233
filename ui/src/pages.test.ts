import assert from "node:assert/strict";
import { test } from "node:test";
import { mostPages, readPages } from "./pages";

/** listOf returns a reader of a list with one item on each of n pages. */
const list = (n: number) => (path: string) => {
  const at = Number(new URL(path, "http://x").searchParams.get("cursor") ?? 0);
  return Promise.resolve({ tag: `t${at}`, body: { alerts: [at], next: at + 1 < n ? String(at + 1) : null } });
};

test("alerts of a second page are read: a page has the alerts of one severity", async () => {
  const got = await readPages<number>("/v1/alerts/devices?limit=1", "alerts", list(2));
  assert.deepEqual(got, { tag: "t0 t1", body: { all: [0, 1], more: false, missing: [] } });
});

test("a list that is longer than what is read says so", async () => {
  const { body } = await readPages<number>("/v1/alerts/devices", "alerts", list(mostPages + 1));
  assert.equal(body.all.length, mostPages);
  assert.ok(body.more);
});

test("what a page does not know is kept, once", async () => {
  const part = (from: string) => ({ from, to: "z", reason: "expired" });
  const pages = [
    { rollups: [1], next: "x", missing: [part("a"), part("b")] },
    { rollups: [2], next: null, missing: [part("b")] },
  ];
  const { body } = await readPages("/x", "rollups", () => Promise.resolve({ tag: "", body: pages.shift() }));
  assert.deepEqual(body, { all: [1, 2], more: false, missing: [part("a"), part("b")] });
});

test("a list has the changes that each of its pages has", async () => {
  const lost = (from: string) => ({ from, to: from, reason: "gap" });
  const pages = [
    { groups: [1], next: "x", processedThrough: "2026-04-20T12:00:00.000Z", unprocessed: [lost("a")] },
    { groups: [2], next: "y", processedThrough: "2026-04-20T11:00:00.000Z", unprocessed: [lost("b")] },
    { groups: [3], next: null, processedThrough: "2026-04-20T12:30:00Z" },
  ];
  const { body } = await readPages("/x", "groups", () => Promise.resolve({ tag: "", body: pages.shift() }));
  const { processedThrough, completeThrough, unprocessed } = body;
  assert.equal(processedThrough, "2026-04-20T11:00:00.000Z");
  assert.equal(completeThrough, undefined);
  assert.deepEqual(unprocessed, [lost("a"), lost("b")]);
});

test("an empty page with a cursor is not the end", async () => {
  const pages = [
    { alerts: [], next: "a b" },
    { alerts: [1], next: null },
  ];
  const asked: string[] = [];
  const { body } = await readPages("/x", "alerts", (path) => {
    asked.push(path);
    return Promise.resolve({ tag: "", body: pages.shift() });
  });
  assert.deepEqual(body, { all: [1], more: false, missing: [] });
  assert.deepEqual(asked, ["/x", "/x?cursor=a+b"]);
});
