// The thresholds of alert rules, which a chart draws.
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

/** Figures of a measure that a rule for groups may test, and that a chart of the measure shows. */
const figures = ["min", "max", "avg", "p50", "p95", "p99"];

/** tests reports whether a rule tests a measure, or one of its figures. */
const tests = (r: Rule, measure: string) =>
  r.measure === measure || figures.some((figure) => r.measure === `${measure}.${figure}`);

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
