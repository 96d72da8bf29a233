// The fleet page: all subjects of a type, found by any part of their id, and the open alerts.
import { useMemo, useState } from "preact/hooks";
import { Spark, useSeen } from "./spark";
import { ago, timeText } from "./time";
import { Notice, href } from "./parts";
import { AlertTable } from "./alerts";
import { url, usePolled, useSubjects, type Alerts, type Profile, type Readable, type Subject } from "./api";

const step = 200; // rows that are shown at first, and added by a click

const lastSeen = (s: Subject) => s.series.map((x) => x.lastSeen).sort().at(-1);

export function Fleet({ subjects, kinds, utc }: { subjects: string; kinds: Readable[]; utc: boolean }) {
  const [search, setSearch] = useState("");
  const [most, setMost] = useState(step);
  const listed = useSubjects(subjects);
  const sent = kinds.some((k) => k.subjects === subjects);
  const has = kinds.some((k) => k.subjects === subjects && k.alerts);
  const { data: open } = usePolled<Alerts>(has ? url(["alerts", subjects], { limit: "1000" }) : null);
  const wanted = search.trim().toLowerCase();
  const rows = useMemo(() => listed.subjects.filter((s) => s.subject.toLowerCase().includes(wanted)), [listed, wanted]);
  const alerting = useMemo(() => Map.groupBy(open?.alerts ?? [], (a) => a.subject), [open]);
  const now = Date.now();
  const total = listed.subjects.length;
  const profiles = useMemo(() => listed.subjects.some((s) => s.profile), [listed]);
  return (
    <main>
      <div class="bar">
        <h1>{subjects}</h1>
        <label>Find <input type="search" value={search} placeholder="part of an id" onInput={(e) => { setSearch(e.currentTarget.value); setMost(step); }} /></label>
      </div>
      <Notice problem={listed.problem} waiting={!listed.whole && !total} />
      {!!open?.alerts.length && (
        <section>
          <h2>Open alerts</h2>
          <AlertTable alerts={open.alerts} subjects={subjects} utc={utc} />
        </section>
      )}
      {listed.whole && !total && (
        <p class="empty">There are no {subjects} yet. {sent
          ? <>They appear here with their first event: see “Send a reading” in what <code>tidemark dev</code> prints.</>
          : <>They have no events, and appear here when they are created: <code>tidemark subject create {subjects}/ID</code></>}</p>
      )}
      {total > 0 && !rows.length && <p class="empty">No id contains “{search}”. <a href={href([subjects, search.trim()])}>Open {search.trim()}</a></p>}
      {rows.length > 0 && (
        <table>
          <caption aria-live="polite">
            {rows.length} of {total} {subjects}{!listed.whole && !listed.problem && ", reading more…"}
            {listed.more && "; there are more than this page lists: enter a whole id to open it"}
          </caption>
          <thead><tr><th scope="col">Subject</th>{profiles && <th scope="col">Status</th>}{sent && <><th scope="col" class="second">Series</th><th scope="col">Last 7 days</th><th scope="col">Last event</th></>}</tr></thead>
          <tbody>
            {rows.slice(0, most).map((s) => (
              <Row key={s.subject} subject={s} subjects={subjects} kinds={kinds} sent={sent} profiles={profiles} alerts={alerting.get(s.subject)?.length} now={now} utc={utc} />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > most && <p><button onClick={() => setMost(most + step)}>Show {Math.min(step, rows.length - most)} more</button></p>}
      {sent && <p class="note">“Last event” is to the hour, or to the day where hours are immediate.</p>}
    </main>
  );
}

interface RowProps { subject: Subject; subjects: string; kinds: Readable[]; sent: boolean; profiles: boolean; alerts?: number; now: number; utc: boolean }

const minutes = 60e3;

/** Row reads the profile and the small chart of a subject when it comes into view. */
function Row({ subject: s, subjects, kinds, sent, profiles, alerts, now, utc }: RowProps) {
  const [row, seen] = useSeen<HTMLTableRowElement>();
  const { data: profile } = usePolled<Profile>(seen && s.profile ? url([subjects, s.subject]) : null, 5 * minutes);
  const text = (name: string) => (typeof profile?.fields[name] === "string" ? (profile.fields[name] as string) : "");
  const last = lastSeen(s);
  return (
    <tr ref={row}>
      <th scope="row">
        <a href={href([subjects, s.subject])}>{s.subject}</a>{alerts && <span class="tag">{alerts} open {alerts > 1 ? "alerts" : "alert"}</span>}
        {text("name") && <small class="soft">{text("name")}</small>}
      </th>
      {profiles && <td class="whole">{text("status")}</td>}
      {sent && <>
        <td class="second">{seriesText(s, kinds)}</td>
        <td><Spark subjects={subjects} subject={s} kinds={kinds} seen={seen} /></td>
        <td class="whole" title={last && timeText(last, utc)}>{last ? seenText(last, now) : "–"}</td>
      </>}
    </tr>
  );
}

// The list knows the hour of the newest event.
const seenText = (at: string, now: number) => (now - Date.parse(at) < 60 * minutes ? "this hour" : ago(at, now));

const named = 2; // streams that a row names

function seriesText(s: Subject, kinds: Readable[]): string {
  const names = s.series.slice(0, named).map((x) => (kinds.find((k) => k.kind === x.kind)?.path ?? x.kind) + (x.stream && ` (${x.stream})`));
  if (s.series.length > named) names.push(`${s.series.length - named} more`);
  return names.join(", ") || "profile only";
}
