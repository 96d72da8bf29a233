// What is stored of a subject and a series: the profile, the latest state and the events.
import { useState } from "preact/hooks";
import { Notice } from "./parts";
import { usePolled } from "./polled";
import { bucketText, timeText } from "./time";
import { Verify } from "./verify";
import { headText, withUnit } from "./figures";
import { url, type Event, type History, type Profile, type Rollup, type Units } from "./api";

const fieldText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** valueText returns a value with the unit of its measure. Only numbers have one. */
const valueText = (value: unknown, unit?: string) =>
  withUnit(fieldText(value), typeof value === "number" ? unit : "");

function Fields({ of, units = {} }: { of: Record<string, unknown>; units?: Units }) {
  return (
    <dl>
      {Object.entries(of).map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{valueText(value, units[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

export function ProfileFields({ path }: { path: string }) {
  const { data, problem } = usePolled<Profile>(path, 30_000);
  return (
    <section>
      <h2>Profile</h2>
      <Notice problem={problem} waiting={!data} />
      {data && <Fields of={data.fields} />}
    </section>
  );
}

export function Latest({ path, units, utc }: { path: string; units: Units; utc: boolean }) {
  const { data, problem } = usePolled<Event>(path);
  return (
    <section>
      <h2>Latest</h2>
      {problem?.status === 404 ? (
        <p class="empty">This series has no event yet.</p>
      ) : (
        <Notice problem={problem} waiting={!data} />
      )}
      {data && <p class="note">{timeText(data.at, utc)}</p>}
      {data && <Fields of={data.fields} units={units} />}
    </section>
  );
}

const few = 20;
const most = 1000;

interface EventsProps {
  parts: string[]; // of the path of the series
  stream: string;
  bucket?: Rollup; // whose events are shown, in place of the newest
  units: Units;
  utc: boolean;
  close: () => void; // shows the newest again
}

/** Events lists the newest events, or the events of a bucket: what a figure was computed from. */
export function Events({ parts, stream, bucket, units, utc, close }: EventsProps) {
  const [limit, setLimit] = useState(few);
  const within = bucket && { from: bucket.bucket, to: bucket.end };
  const { data, problem } = usePolled<History>(url(parts, { limit: String(limit), stream, ...within }));
  const title = bucket ? `Events of ${bucketText(bucket, utc)}` : "Newest events";
  return (
    <section aria-label={bucket ? "Events of a bucket" : "Newest events"}>
      <div class="bar">
        <h2>{title}</h2>
        {bucket && <button onClick={close}>Newest events</button>}
      </div>
      {bucket && <Verify parts={parts} stream={stream} bucket={bucket} utc={utc} />}
      <Notice problem={problem} waiting={!data} />
      {data?.events.length === 0 && (
        <p class="empty">
          {bucket?.events ? `Its ${bucket.events} events have expired: ` : "No event is stored: "}
          events expire before their rollups.
        </p>
      )}
      {!!data?.events.length && <EventTable events={data.events} bucket={bucket} units={units} utc={utc} />}
      {data?.next && (
        <p class="note">
          There are more events than these {data.events.length}.{" "}
          {limit < most && <button onClick={() => setLimit(most)}>Show up to {most}</button>}
        </p>
      )}
    </section>
  );
}

interface TableProps {
  events: Event[];
  bucket?: Rollup;
  units: Units;
  utc: boolean;
}

function EventTable({ events, bucket, units, utc }: TableProps) {
  const names = [...new Set(events.flatMap((e) => Object.keys(e.fields)))];
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Events">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Id</th>
            <th scope="col">Arrived</th>
            {names.map((n) => (
              <th scope="col">
                <bdi>{headText(n, units[n])}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((e) => (
            <tr key={e.at + e.id}>
              <th scope="row">{timeText(e.at, utc)}</th>
              <td>
                <bdi>{e.id}</bdi> {e.unreadable && <span class="tag">unreadable</span>}
              </td>
              <td>
                {e.arrivedAt && timeText(e.arrivedAt, utc)}{" "}
                {bucket && e.arrivedAt && Date.parse(e.arrivedAt) > Date.parse(bucket.end) && (
                  <span class="tag plain">after the bucket</span>
                )}{" "}
                {e.correctedAt && <span class="tag plain">corrected {timeText(e.correctedAt, utc)}</span>}
              </td>
              {names.map((n) => (
                <td>
                  <bdi>{n in e.fields ? fieldText(e.fields[n]) : ""}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
