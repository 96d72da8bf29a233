// The fleet page: all subjects of a type, found by any part of their id, and the open alerts.
import { useMemo, useState } from "preact/hooks";
import { change } from "./address";
import { Groups } from "./groups";
import { lastSeen, select } from "./rows";
import { Spark, useSeen } from "./spark";
import { ago, timeText } from "./time";
import { Notice, href } from "./parts";
import { NotProcessed } from "./chartview";
import { AlertCounts } from "./alertcounts";
import { AlertTable } from "./alerts";
import { url, type Alert, type Profile, type Readable, type Subject } from "./api";
import { currentTime } from "./clock";
import { usePages, usePolled } from "./polled";
import { useSubjects } from "./subjects";

const step = 200; // rows that are shown at first, and added by a click

const hour = 3600e3;
const silences: [title: string, length: number][] = [
  ["1 hour", hour],
  ["1 day", 24 * hour],
  ["1 week", 7 * 24 * hour],
];

interface Props {
  subjects: string;
  kinds: Readable[];
  utc: boolean;
  params: URLSearchParams;
}

export function Fleet({ subjects, kinds, utc, params }: Props) {
  const [most, setMost] = useState(step);
  const search = params.get("q") ?? "";
  const silent = Number(params.get("silent")) || 0;
  const sort = params.get("sort") ?? "";
  const alertingOnly = params.has("alerting");
  const listed = useSubjects(subjects);
  const sent = kinds.some((k) => k.subjects === subjects);
  const has = kinds.some((k) => k.subjects === subjects && k.alerts);
  const { data: open } = usePages<Alert>(has ? url(["alerts", subjects], { limit: "1000" }) : null, "alerts");
  const alerting = useMemo(() => Map.groupBy(open?.all ?? [], (a) => a.subject), [open]);
  const rows = useMemo(
    () => select(listed.subjects, { search, sort, silent, alerting: alertingOnly }, alerting, currentTime()),
    [listed, search, sort, silent, alertingOnly, alerting],
  );
  const now = currentTime();
  const total = listed.subjects.length;
  const profiles = useMemo(() => listed.subjects.some((s) => s.profile), [listed]);
  return (
    <main>
      <div class="bar">
        <h1 tabIndex={-1}>{subjects}</h1>
        <label>
          Find{" "}
          <input
            type="search"
            value={search}
            placeholder="part of an id or name"
            onInput={(e) => {
              change({ q: e.currentTarget.value || null }, true);
              setMost(step);
            }}
          />
        </label>
        {sent && (
          <label>
            Silent for{" "}
            <select
              value={String(silent)}
              onChange={(e) => change({ silent: numberOrNull(e.currentTarget.value) })}
            >
              <option value="0">any time</option>
              {silences.map(([title, length]) => (
                <option value={String(length)}>{title} or more</option>
              ))}
            </select>
          </label>
        )}
        {has && (
          <label>
            <input
              type="checkbox"
              checked={alertingOnly}
              onChange={(e) => change({ alerting: e.currentTarget.checked ? "1" : null })}
            />{" "}
            with open alerts
          </label>
        )}
      </div>
      <Notice problem={listed.problem} waiting={!listed.whole && !total} />
      {!!open?.all.length && (
        <section>
          <h2>Open alerts</h2>
          <AlertTable alerts={open.all} subjects={subjects} utc={utc} />
          {open.more && <p class="note">There are more open alerts than these {open.all.length}.</p>}
        </section>
      )}
      {has && <AlertCounts subjects={subjects} utc={utc} />}
      <Groups kinds={kinds} subjects={subjects} utc={utc} />
      <p class="facts">
        <NotProcessed of={listed} utc={utc} />
      </p>
      {listed.whole && !total && (
        <p class="empty">
          There are no {subjects} yet.{" "}
          {sent ? (
            <>
              They appear here with their first event: see “Send a reading” in what <code>tidemark dev</code>{" "}
              prints.
            </>
          ) : (
            <>
              They have no events, and appear here when they are created:{" "}
              <code>tidemark subject create {subjects}/ID</code>
            </>
          )}
        </p>
      )}
      {total > 0 && !rows.length && (
        <p class="empty">
          {search ? (
            <>
              No id or name contains “<bdi>{search}</bdi>”
              {(silent > 0 || alertingOnly) && " among those that you chose"}.{" "}
              <a href={href([subjects, search.trim()])}>
                Open <bdi>{search.trim()}</bdi>
              </a>
            </>
          ) : (
            `None of ${total} ${subjects} is like that.`
          )}
        </p>
      )}
      {rows.length > 0 && (
        <table>
          <caption aria-live="polite">
            {rows.length} of {total} {subjects}
            {!listed.whole && !listed.problem && ", reading more…"}
            {listed.more && "; there are more than this page lists: enter a whole id to open it"}
          </caption>
          <thead>
            <tr>
              <Header title="Subject" sort={sort} orders={["", "last"]} />
              {profiles && <th scope="col">Status</th>}
              {sent && (
                <>
                  <Header title="Series" sort={sort} orders={["series", ""]} second />
                  <th scope="col" class="drawn">
                    Last 7 days
                  </th>
                  <Header title="Last event" sort={sort} orders={["oldest", "newest"]} />
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((s) => (
              <Row
                key={s.subject}
                subject={s}
                subjects={subjects}
                kinds={kinds}
                sent={sent}
                profiles={profiles}
                alerts={alerting.get(s.subject)?.length}
                now={now}
                utc={utc}
              />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > most && (
        <p>
          <button onClick={() => setMost(most + step)}>Show {Math.min(step, rows.length - most)} more</button>
        </p>
      )}
      {sent && <p class="note">“Last event” is to the hour, or to the day where hours are immediate.</p>}
    </main>
  );
}

const numberOrNull = (text: string) => (text === "0" ? null : text);

interface HeaderProps {
  title: string;
  sort: string; // the order of the list
  orders: [string, string]; // what a click chooses, and a second one
  second?: boolean;
}

/** Header is a column by which a click sorts the list. */
function Header({ title, sort, orders: [first, then], second }: HeaderProps) {
  const chosen = sort === first || (sort === then && then !== "");
  const next = sort === first ? then : first;
  const direction = sort === first ? "ascending" : "descending";
  return (
    <th scope="col" class={second ? "second" : undefined} aria-sort={chosen ? direction : undefined}>
      <button class="tab sort" onClick={() => change({ sort: next || null })}>
        {title}
      </button>
    </th>
  );
}

interface RowProps {
  subject: Subject;
  subjects: string;
  kinds: Readable[];
  sent: boolean;
  profiles: boolean;
  alerts?: number;
  now: number;
  utc: boolean;
}

const minutes = 60e3;

/** Row reads the profile and the small chart of a subject when it comes into view. */
function Row({ subject: s, subjects, kinds, sent, profiles, alerts, now, utc }: RowProps) {
  const [row, seen] = useSeen<HTMLTableRowElement>();
  const { data: profile } = usePolled<Profile>(
    seen && s.profile ? url([subjects, s.subject]) : null,
    5 * minutes,
  );
  const text = (name: string) =>
    typeof profile?.fields[name] === "string" ? (profile.fields[name] as string) : "";
  const last = lastSeen(s);
  return (
    <tr ref={row}>
      <th scope="row">
        <a href={href([subjects, s.subject])}>
          <bdi>{s.subject}</bdi>
        </a>
        {alerts && (
          <span class="tag">
            {alerts} open {alerts > 1 ? "alerts" : "alert"}
          </span>
        )}
        {(s.name ?? text("name")) && <small class="soft">{s.name ?? text("name")}</small>}
      </th>
      {profiles && <td class="whole">{text("status")}</td>}
      {sent && (
        <>
          <td class="second">{seriesText(s, kinds)}</td>
          <td class="drawn">
            <Spark subjects={subjects} subject={s} kinds={kinds} seen={seen} />
          </td>
          <td class="whole" title={last && timeText(last, utc)}>
            {last ? seenText(last, now) : "–"}
          </td>
        </>
      )}
    </tr>
  );
}

// The list knows the hour of the newest event.
const seenText = (at: string, now: number) =>
  now - Date.parse(at) < 60 * minutes ? "this hour" : ago(at, now);

const named = 2; // streams that a row names

function seriesText(s: Subject, kinds: Readable[]): string {
  const names = s.series
    .slice(0, named)
    .map((x) => (kinds.find((k) => k.kind === x.kind)?.path ?? x.kind) + (x.stream && ` (${x.stream})`));
  if (s.series.length > named) names.push(`${s.series.length - named} more`);
  return names.join(", ") || "profile only";
}
