// The thresholds of alert rules, which a chart draws.
import { curves } from "./figures";

/** An alert rule as the API has it. Rules of a type of subjects and of one subject are alike. */
export interface Rule {
  name: string;
  kind: string;
  measure: string;
  stream?: string;
  anyStream?: boolean;
  low?: number;
  high?: number;
  severity: string;
}

/** A threshold is a value above or below which a rule raises alerts. */
export interface Threshold {
  name: string;
  value: number;
  severity: string;
}

/** tests reports whether a rule tests a measure, or a figure of it that a chart shows. */
const tests = (r: Rule, measure: string) =>
  r.measure === measure || curves.some((c) => r.measure === `${measure}.${c.name}`);

/** thresholdsOf returns the thresholds of a measure of a series. */
export function thresholdsOf(rules: Rule[], kind: string, stream: string, measure: string): Threshold[] {
  const own = rules.filter(
    (r) => r.kind === kind && tests(r, measure) && (r.anyStream || (r.stream ?? "") === stream),
  );
  return own.flatMap((r) =>
    [r.low, r.high].flatMap((value) =>
      value === undefined ? [] : [{ name: r.name, value, severity: r.severity }],
    ),
  );
}
