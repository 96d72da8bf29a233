import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalsFor, estimateText, fullText, numberText, stepTexts } from "./number";

test("a counter of seven digits moves in the table", () => {
  const readings = [1234567.25, 1234571.75, 1234573.5];
  const decimals = decimalsFor([readings]);
  assert.deepEqual(
    readings.map((x) => numberText(x, decimals)),
    ["1,234,567.25", "1,234,571.75", "1,234,573.5"],
  );
});

test("a column beside them that is far away does not hide it", () => {
  const readings = [1234567.25, 1234571.75, 1234573.5];
  assert.equal(numberText(readings[0], decimalsFor([readings, [0, 0, 0], [9e9, 1, null]])), "1,234,567.25");
});

test("an outlier does not hide in what the others differ", () => {
  const decimals = decimalsFor([[7654321.01, 7654321.02, 7654321.03, 9e9, 7654321.04, 7654321.05]]);
  assert.notEqual(numberText(7654321.01, decimals), numberText(7654321.02, decimals));
});

test("every value keeps six significant digits, and no whole digit is cut", () => {
  assert.equal(numberText(123456789), "123,456,789");
  assert.equal(numberText(21.47219999), "21.4722");
  assert.equal(numberText(0.000012345678), "0.0000123457");
  assert.equal(numberText(-1234567.4), "-1,234,567");
});

test("any two neighbours of a slowly rising series have different texts", () => {
  for (let offset = 1; offset <= 1e9; offset *= 10) {
    for (let step = 1e-3; step <= 1e3; step *= 10) {
      const values = Array.from({ length: 40 }, (_, i) => offset + i * step);
      const texts = values.map((x) => numberText(x, decimalsFor([values])));
      assert.equal(new Set(texts).size, values.length, `${offset} by ${step}: ${texts.slice(0, 3)}`);
    }
  }
});

test("numbers beyond the digits of a float are in powers of ten", () => {
  assert.equal(numberText(1.5e22), "1.5E22");
  assert.equal(numberText(4.56e-20), "4.56E-20");
});

test("what is not known is not 0", () => {
  assert.equal(numberText(null), "–");
  assert.equal(numberText(undefined, 3), "–");
  assert.equal(estimateText(null), "–");
  assert.equal(fullText(null), "not known");
  assert.equal(numberText(0, 3), "0");
  assert.equal(decimalsFor([[], [null, undefined]]), 0);
});

test("an estimate has three digits and says that it is one", () => {
  assert.equal(estimateText(25.672), "≈ 25.7");
  assert.equal(estimateText(1234567), "≈ 1,230,000");
});

test("labels of an axis differ", () => {
  assert.deepEqual(
    stepTexts([0.1, 0.2, 0.30000000000000004], 0.1),
    ["0.1", "0.2", "0.3"],
  );
  assert.deepEqual(
    stepTexts([1234574, 1234576], 2),
    ["1,234,574", "1,234,576"],
  );
});

test("labels of an axis have one form", () => {
  assert.deepEqual(stepTexts([0, 5e14, 1e15, 1.5e15], 5e14), ["0", "5E14", "1E15", "1.5E15"]);
  assert.deepEqual(stepTexts([0, 5e13], 5e13), ["0", "50,000,000,000,000"]);
});

test("the full value has all digits", () => assert.equal(fullText(1234567.125), "1234567.125"));
