// The page of health: how far rollups are complete, what is open, and on a local stack what its functions
// counted.
import { ownMachine } from "./access";
import { AlertTable } from "./alerts";
import { Notice } from "./parts";
import { NotProcessed } from "./chartview";
import { grace, isBehind, type Progress } from "./progress";
import { ago, countText, durationText, moneyText, timeText } from "./time";
import { url, type API, type Alert, type Readable } from "./api";
import { currentTime } from "./clock";
import { usePages, usePolled } from "./polled";

interface Health extends Progress {
  status: string;
  lagSeconds?: number;
}

/** What a local stack counts since its start. */
export interface Status {
  mapping: { enabled: boolean };
  stats: Counts & { metrics: Record<string, number> | null };
}
type Counts = Record<
  | "streamRecords"
  | "batches"
  | "invocations"
  | "again"
  | "recut"
  | "failed"
  | "givenUp"
  | "counted"
  | "kills"
  | "killsUnacked"
  | "throttled",
  number
>;

/**
 * What AWS knows of a deployed stack: its alarms, sums of the last 24 hours, and the units that its
 * table consumed.
 */
interface Stack {
  alarms?: Alarm[];
  metrics: Record<string, number>;
  day: Capacity;
  month: Capacity;
}
interface Alarm {
  name: string;
  state: string;
  since: string;
  meaning: string;
}
interface Capacity {
  reads: number;
  writes: number;
}

// On-demand prices of a unit in us-east-1, in dollars, as tidemark cost has them.
const perRead = 0.125e-6,
  perWrite = 0.625e-6;
const dollars = (c: Capacity) => c.reads * perRead + c.writes * perWrite;

interface Count {
  title: string;
  metric: string;
  meaning: string;
  bad?: string;
} // bad says what to do if there are any

const observations: Count[] = [
  { title: "Applied", metric: "ObservationsApplied", meaning: "newer than the latest event of the series" },
  {
    title: "Late",
    metric: "ObservationsLate",
    meaning: "older than the latest event, and stored: their buckets were recomputed",
  },
  { title: "Duplicate", metric: "ObservationsDuplicate", meaning: "stored already: nothing changed" },
  {
    title: "Stale",
    metric: "ObservationsStale",
    meaning: "older than the latest event of a kind that drops them",
  },
  {
    title: "Collision",
    metric: "ObservationsCollision",
    meaning: "one time and id with different fields",
    bad: "Give the sender's events distinct ids.",
  },
  {
    title: "Rejected",
    metric: "ObservationsRejected",
    meaning: "refused, with the reason in the response",
    bad: "Read the reasons in the sender's responses.",
  },
  {
    title: "Quarantined",
    metric: "Quarantined",
    meaning: "kept with the reason, because the source has no caller",
    bad: "Run tidemark failed list.",
  },
];

const rollups: Count[] = [
  {
    title: "Recomputations",
    metric: "Recomputations",
    meaning: "of a bucket, from its events or its finer rows",
  },
  { title: "Rows written", metric: "RowsWritten", meaning: "of all tiers" },
  {
    title: "Rows inexact",
    metric: "RowsInexact",
    meaning: "a change came after the events of the bucket began to expire",
    bad: "Raise the raw retention for slow senders.",
  },
  {
    title: "Unreadable events",
    metric: "UnreadableEvents",
    meaning: "could not be decoded",
    bad: "Find them with tidemark dump.",
  },
  {
    title: "Batches repeated",
    metric: "BatchFailures",
    meaning: "of the table stream: delivered again, without effect on the figures",
  },
];

export function HealthPage({
  api,
  kinds,
  utc,
  local,
}: {
  api: API;
  kinds: Readable[];
  utc: boolean;
  local: boolean;
}) {
  const { data, problem } = usePolled<Health>("/health");
  const { data: status } = usePolled<Status>(local ? "/local/status" : null);
  const { data: stack, problem: unread } = usePolled<Stack>(
    local || !ownMachine ? null : "/local/stack",
    300_000,
  ); // CloudWatch bills each metric that is read
  const types = [...new Set(kinds.filter((k) => k.alerts).map((k) => k.subjects))];
  const slowest = grace(kinds);
  const through = data?.completeThrough;
  const behind = isBehind(data ?? undefined, slowest, currentTime());
  return (
    <main>
      <h1 tabIndex={-1}>Health</h1>
      <Notice problem={problem} waiting={!data} />
      {data && (
        <section aria-label="Rollups">
          <dl class="facts-list">
            <div>
              <dt>API and table</dt>
              <dd>{problem ? "no response" : "respond"}</dd>
            </div>
            <div>
              <dt>Stored rollups of all series are complete through</dt>
              <dd>
                {through ? (
                  <>
                    {timeText(through, utc)} <span class="soft">({ago(through, currentTime())})</span>
                  </>
                ) : (
                  "not known: no kind has deferred tiers, or none was swept yet"
                )}
                {behind && (
                  <>
                    {" "}
                    <span class="tag">behind</span>
                  </>
                )}
              </dd>
            </div>
            <div>
              <dt>Changes are processed through</dt>
              <dd>
                {data.processedThrough ? (
                  <>
                    {timeText(data.processedThrough, utc)}{" "}
                    <span class="soft">({durationText(data.lagSeconds ?? 0)} behind)</span>
                  </>
                ) : (
                  "nothing processed yet"
                )}
              </dd>
            </div>
            <div>
              <dt>Release</dt>
              <dd>{api.info.version}</dd>
            </div>
          </dl>
          <p class="facts">
            <NotProcessed of={data} utc={utc} />
            {slowest > 0 && (
              <>
                The slowest kind closes its buckets {durationText(slowest)} after their end, so this time is
                at least that long ago.{" "}
              </>
            )}
            Later buckets are computed as you read: no figure waits for them.
            {behind && (
              <>
                {" "}
                Rows are written late: read the log of aggregate, the alarms on ProgressAge and SweepAge, and{" "}
                <code>tidemark status</code>.
              </>
            )}
          </p>
        </section>
      )}
      {types.map((t) => (
        <OpenAlerts key={t} subjects={t} utc={utc} />
      ))}
      {status && (
        <>
          <p class="note">
            Since this <code>tidemark dev</code> started:
          </p>
          <div class="cards">
            <CountTable title="Observations" counts={observations} metrics={status.stats.metrics ?? {}} />
            <CountTable title="Rollups" counts={rollups} metrics={{ ...status.stats.metrics }} />
          </div>
          {status.stats.givenUp > 0 && (
            <p class="problem">
              {status.stats.givenUp} ranges of the table stream were given up: run tidemark failed retry.
            </p>
          )}
        </>
      )}
      {unread && (
        <p class="problem" role="alert">
          {unread.message}
        </p>
      )}
      {stack?.alarms && <StackHealth stack={stack} alarms={stack.alarms} utc={utc} />}
      {!local && (!ownMachine || (stack && !stack.alarms)) && (
        <p class="note">
          Late, duplicate, rejected and quarantined observations, inexact rows, capacity and cost are metrics
          of the stack: start <code>tidemark ui --stack NAME</code> to see them here, or see the CloudWatch
          dashboard of the stack. <code>tidemark verify</code> recounts the rows, and{" "}
          <code>tidemark failed list</code> lists what was rejected.
        </p>
      )}
    </main>
  );
}

function StackHealth({ stack, alarms, utc }: { stack: Stack; alarms: Alarm[]; utc: boolean }) {
  const on = alarms.filter((a) => a.state === "ALARM"),
    silent = alarms.filter((a) => a.state === "INSUFFICIENT_DATA").length;
  return (
    <>
      <section aria-label="Alarms">
        <h2>
          Alarms{" "}
          <span class="soft">
            {on.length} of {alarms.length} are on{silent > 0 && `, ${silent} without data yet`}
          </span>
        </h2>
        {on.length > 0 && (
          <table class="wrap">
            <thead>
              <tr>
                <th scope="col">Alarm</th>
                <th scope="col">Since</th>
                <th scope="col">What has happened, and what to do first</th>
              </tr>
            </thead>
            <tbody>
              {on.map((a) => (
                <tr key={a.name}>
                  <th scope="row">{a.name}</th>
                  <td class="whole">{timeText(a.since, utc)}</td>
                  <td>{a.meaning}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {!alarms.length && (
          <p class="note">
            The stack has no alarms: its stage has <code>monitoring</code> without them.
          </p>
        )}
      </section>
      <p class="note">The last 24 hours, as CloudWatch has them:</p>
      <div class="cards">
        <CountTable title="Observations" counts={observations} metrics={stack.metrics} />
        <CountTable title="Rollups" counts={rollups} metrics={stack.metrics} />
      </div>
      <Money day={stack.day} month={stack.month} />
    </>
  );
}

/**
 * Money shows what reads and writes cost so far this month, and at the end of it if each day is like
 * the last.
 */
function Money({ day, month }: { day: Capacity; month: Capacity }) {
  const now = new Date(currentTime()),
    end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1),
    daysLeft = (end - now.getTime()) / 86400e3;
  const predicted: Capacity = {
    reads: month.reads + day.reads * daysLeft,
    writes: month.writes + day.writes * daysLeft,
  };
  const row = (title: string, c: Capacity) => (
    <tr>
      <th scope="row">{title}</th>
      <td class="number">{countText(c.reads)}</td>
      <td class="number">{countText(c.writes)}</td>
      <td class="number">{moneyText(dollars(c))}</td>
    </tr>
  );
  return (
    <section aria-label="Capacity">
      <h2>Capacity of the table</h2>
      <table class="wrap">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Read units</th>
            <th scope="col">Write units</th>
            <th scope="col">On demand</th>
          </tr>
        </thead>
        <tbody>
          {row("The last 24 hours", day)}
          {row("This month so far (UTC)", month)}
          {row("The whole month, if each day is like the last", predicted)}
        </tbody>
      </table>
      <p class="note">
        At on-demand prices of us-east-1, without storage, functions, requests and messages:{" "}
        <code>tidemark cost</code> has those.
      </p>
    </section>
  );
}

function OpenAlerts({ subjects, utc }: { subjects: string; utc: boolean }) {
  const { data, problem } = usePages<Alert>(url(["alerts", subjects], { limit: "1000" }), "alerts");
  return (
    <section>
      <h2>Open alerts of {subjects}</h2>
      <Notice problem={problem} waiting={!data} />
      {data &&
        (data.all.length ? (
          <>
            <AlertTable alerts={data.all} subjects={subjects} utc={utc} />
            {data.more && <p class="note">There are more open alerts than these {data.all.length}.</p>}
          </>
        ) : (
          <p class="note">None.</p>
        ))}
    </section>
  );
}

function CountTable({
  title,
  counts,
  metrics,
}: {
  title: string;
  counts: Count[];
  metrics: Record<string, number>;
}) {
  return (
    <section class="card">
      <h2>{title}</h2>
      <table class="counts">
        <tbody>
          {counts.map(({ title, metric, meaning, bad }) => {
            const n = metrics[metric];
            return (
              <tr key={metric}>
                <th scope="row">
                  {title}
                  <small class="soft">
                    {meaning}
                    {bad && !!n && (
                      <>
                        {" "}
                        <span class="do">{bad}</span>
                      </>
                    )}
                  </small>
                </th>
                <td class={"number" + (bad && n ? " some" : "")}>
                  {n === undefined ? <span title="A lean stage does not publish it">not known</span> : countText(n)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
