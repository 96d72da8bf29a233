// Other series on the chart of a subject: its own streams, and other subjects.
import { useState } from "preact/hooks";
import { shared } from "./access";
import type { Series } from "./api";
import { matches } from "./rows";
import { useSubjects } from "./subjects";

/** A series of the same kind as the chart's. */
export interface Other {
  subject: string;
  stream: string;
}

export const mostOthers = 4;

const separator = "/"; // both parts are escaped

/** othersOf reads the series from the parameters of the address. */
export function othersOf(params: URLSearchParams): Other[] {
  return params
    .getAll("with")
    .slice(0, mostOthers)
    .map((text) => {
      const [subject, stream = ""] = text.split(separator).map(decodeURIComponent);
      return { subject, stream };
    });
}

/** withOthers returns the parameters that othersOf reads. */
export const withOthers = (others: Other[]): [string, string][] =>
  others.map((o) => ["with", [o.subject, o.stream].map(encodeURIComponent).join(separator)]);

/** otherName names a series on the page of a subject. */
export const otherName = (o: Other, id: string) =>
  o.subject === id ? o.stream || "no stream" : o.subject + (o.stream && ` · ${o.stream}`);

interface Props {
  subjects: string;
  id: string;
  chosen: Series;
  series: Series[];
  others: Other[];
  missing: (i: number) => boolean;
  change: (others: Other[]) => void;
}

const shownStreams = 200;

/** Compare chooses the other series. A subject is named by its id, and has the stream of the chart. */
export function Compare({ subjects, id, chosen, series, others, missing, change }: Props) {
  const [text, setText] = useState("");
  const [used, setUsed] = useState(false); // the field for an id, which needs the list of subjects
  const has = (o: Other) => others.some((x) => x.subject === o.subject && x.stream === o.stream);
  const streams = series.filter(
    (s) => s.kind === chosen.kind && s.stream !== chosen.stream && !has({ subject: id, stream: s.stream }),
  );
  const full = others.length >= mostOthers;
  const add = (o: Other) => {
    if (!full && !has(o) && (o.subject !== id || o.stream !== chosen.stream)) change([...others, o]);
  };
  return (
    <div class="bar compare">
      {others.map((o, i) => (
        <button
          key={o.subject + "/" + o.stream}
          class={"key other-" + i}
          onClick={() => change(others.toSpliced(i, 1))}
        >
          <span class="away">Remove</span> {otherName(o, id)}
          {missing(i) && <span class="soft"> no data here</span>} <span aria-hidden="true">×</span>
        </button>
      ))}
      {!full && streams.length > 0 && (
        <label>
          Compare with{" "}
          <select
            value=""
            onChange={(e) => {
              add({ subject: id, stream: e.currentTarget.value });
              e.currentTarget.value = "";
            }}
          >
            <option value="" disabled selected>
              a stream
            </option>
            {streams.slice(0, shownStreams).map((s) => (
              <option value={s.stream}>{s.stream || "no stream"}</option>
            ))}
          </select>
        </label>
      )}
      {!full && !shared && (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            if (text.trim()) {
              add({ subject: text.trim(), stream: chosen.stream });
              setText("");
            }
          }}
        >
          <label>
            {streams.length > 0 ? "or" : "Compare with"}{" "}
            <input
              type="search"
              value={text}
              placeholder="the id of another"
              list="others"
              onFocus={() => setUsed(true)}
              onInput={(e) => setText(e.currentTarget.value)}
            />
          </label>{" "}
          {used && <Suggestions subjects={subjects} id={id} text={text} />}
          <button disabled={!text.trim()}>Add</button>
        </form>
      )}
    </div>
  );
}

const offered = 20;

/** Suggestions offers the other subjects of a type whose id or name contains a text. */
function Suggestions({ subjects, id, text }: { subjects: string; id: string; text: string }) {
  const listed = useSubjects(subjects, 600_000);
  const wanted = text.trim().toLowerCase();
  const fitting = listed.subjects.filter((s) => s.subject !== id && matches(s, wanted));
  return (
    <datalist id="others">
      {fitting.slice(0, offered).map((s) => (
        <option key={s.subject} value={s.subject}>
          {s.name}
        </option>
      ))}
    </datalist>
  );
}
