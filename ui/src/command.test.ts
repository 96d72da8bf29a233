import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { curlCommand, quoted, tidemarkCommand } from "./command";

test("a shell reads a hostile id as one word", () => {
  for (const id of ["a b", "it's", `$(rm -rf x)`, "`x`", `"`, "a\nb", "\\", "*", "~"]) {
    const read = execFileSync("sh", ["-c", `printf %s ${quoted(id)}`]).toString();
    assert.equal(read, id);
  }
});

test("the command names the series, the range and the tier of the chart", () => {
  const asked = { subject: "devices/it's", kind: "READING", stream: "", measure: "co2", tier: "hour" };
  const range = { from: "2026-04-20T00:00:00Z", to: "2026-04-21T00:00:00Z", buckets: 24 };
  assert.equal(
    tidemarkCommand({ ...asked, ...range }),
    `tidemark rollups 'devices/it'\\''s' --kind READING --measure co2 --tier hour ` +
      "--from 2026-04-20T00:00:00Z --to 2026-04-21T00:00:00Z --limit 24",
  );
  assert.doesNotMatch(tidemarkCommand({ ...asked, ...range, tier: "" }), /--tier|--limit/);
});

test("the request asks for CSV", () =>
  assert.equal(curlCommand("http://x/v1/a?b=c&d"), "curl -H 'Accept: text/csv' 'http://x/v1/a?b=c&d'"));
