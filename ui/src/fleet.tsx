// The fleet page: the subjects of a type, found by the beginning or any part of their id.
import { useState } from "preact/hooks";
import { ago, timeText } from "./time";
import { Notice, href } from "./parts";
import { url, usePolled, type Kind, type Subjects } from "./api";

const pageSize = "1000";

export function Fleet({ subjects, kinds, utc }: { subjects: string; kinds: Kind[]; utc: boolean }) {
  const [search, setSearch] = useState("");
  const [cursors, setCursors] = useState<string[]>([]);
  const { data, problem } = usePolled<Subjects>(url([subjects], { limit: pageSize, cursor: cursors.at(-1) }), 10_000);
  const now = Date.now();
  const rows = (data?.subjects ?? []).filter((s) => s.subject.toLowerCase().includes(search.toLowerCase()));
  const shown = rows.slice(0, 500);
  return (
    <main>
      <div class="bar">
        <h1>{subjects}</h1>
        <label>Find <input type="search" value={search} placeholder="part of an id" onInput={(e) => setSearch(e.currentTarget.value)} /></label>
      </div>
      <Notice problem={problem} waiting={!data} />
      {data && !data.subjects.length && cursors.length === 0 && (
        <p class="empty">There are no {subjects} yet. They appear here with their first event: see “Send a reading” in what <code>tidemark dev</code> prints.</p>
      )}
      {data && data.subjects.length > 0 && !rows.length && <p class="empty">No id on this page contains “{search}”.</p>}
      {shown.length > 0 && (
        <table>
          <caption>{rows.length} of {data!.subjects.length} on this page{rows.length > shown.length && `; the first ${shown.length} are shown, search for the others`}</caption>
          <thead><tr><th scope="col">Subject</th><th scope="col">Series</th><th scope="col">Last event</th></tr></thead>
          <tbody>
            {shown.map((s) => {
              const last = s.series.map((x) => x.lastSeen).sort().at(-1);
              return (
                <tr key={s.subject}>
                  <th scope="row"><a href={href([subjects, s.subject])}>{s.subject}</a></th>
                  <td>{s.series.map((x) => (kinds.find((k) => k.name === x.kind)?.path ?? x.kind) + (x.stream && ` (${x.stream})`)).join(", ") || "profile only"}</td>
                  <td title={last && timeText(last, utc)}>{last ? ago(last, now) : "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {(data?.next || cursors.length > 0) && (
        <nav class="bar" aria-label="Pages">
          <button disabled={!cursors.length} onClick={() => setCursors(cursors.slice(0, -1))}>Previous page</button>
          <button disabled={!data?.next} onClick={() => setCursors([...cursors, data!.next!])}>Next page</button>
        </nav>
      )}
      <p class="note">“Last event” is to the hour, or to the day where hours are immediate.</p>
    </main>
  );
}
