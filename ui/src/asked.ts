// The series that an address asks for.
import type { Series } from "./api";

/** An address names a series by its kind and stream, a kind alone, or nothing. */
export interface Asked {
  chosen?: Series; // the first series if there is none like that
  absent?: string; // what the address names, if there is none like that
}

/** askedSeries returns the series of a subject that an address asks for. */
export function askedSeries(series: Series[], params: URLSearchParams): Asked {
  const kind = params.get("kind"),
    stream = params.get("stream");
  if (kind === null) return { chosen: series[0] };
  const own = series.filter((s) => s.kind === kind);
  const found = own.find((s) => s.stream === (stream ?? "")) ?? (stream === null ? own[0] : undefined);
  if (found) return { chosen: found };
  return { chosen: series[0], absent: [kind, stream].filter(Boolean).join(" · ") };
}
