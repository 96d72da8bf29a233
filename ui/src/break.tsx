// The page of tidemark dev that breaks the delivery of the table stream, and compares Tidemark's rollups
// with a counter
// that adds up the records it receives.
import { useState } from "preact/hooks";
import { Notice, href } from "./parts";
import { countText } from "./time";
import { Problem, post, url, type Total } from "./api";
import { currentTime } from "./clock";
import { usePolled } from "./polled";
import type { Status } from "./health";

const readings = 50,
  second = 1000;

const faults = [
  { name: "none", title: "Send 50 readings", does: "No fault: the batch is delivered once." },
  {
    name: "again",
    title: "Deliver twice",
    does: "Lambda delivers the batch again, although the function has acknowledged it.",
  },
  {
    name: "recut",
    title: "Cut differently",
    does: "The batch comes in two pieces that overlap, as after a partial failure.",
  },
  {
    name: "kill",
    title: "Kill the function",
    does: "SIGKILL after its last write and before its acknowledgement: the batch is delivered again.",
  },
  {
    name: "throttle",
    title: "Throttle the table",
    does: "For five seconds the table refuses each request of the function, which repeats it.",
  },
];

const asProblem = (cause: unknown) => (cause instanceof Problem ? cause : new Problem(-1, String(cause)));

interface Run {
  subject: string;
  sent: number;
  said: string;
}

export function BreakPage({ local }: { local: boolean }) {
  const { data: status, problem } = usePolled<Status>(local ? "/local/status" : null, second);
  const [run, setRun] = useState<Run>();
  const [failed, setFailed] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const place = run && ["devices", run.subject, "readings"];
  const { data: total } = usePolled<Total>(
    place ? url([...place, "rollups", "total"], { last: "1d" }) : null,
    second,
  );
  const { data: stored } = usePolled<{ events: number }>(place ? url([...place, "count"]) : null, second);
  if (!local)
    return (
      <main>
        <h1 tabIndex={-1}>Break it</h1>
        <p class="empty">
          This page works with <code>tidemark dev</code> only: it disturbs how the table stream is delivered.
        </p>
      </main>
    );

  const send = async (fault: (typeof faults)[number]) => {
    setBusy(true);
    setFailed(undefined);
    try {
      const now: Run = run ?? { subject: "break-it-" + currentTime().toString(36), sent: 0, said: "" };
      await post(`/local/break/${now.subject}/${fault.name}`);
      const at = currentTime() - readings;
      await post(
        "/v1/readings",
        Array.from({ length: readings }, (_, n) => ({
          deviceId: now.subject,
          timestamp: new Date(at + n).toISOString(),
          value: n,
        })),
      );
      setRun({ ...now, sent: now.sent + readings, said: fault.does });
    } catch (cause) {
      setFailed(asProblem(cause));
    }
    setBusy(false);
  };
  const enable = async (on: boolean) => {
    setFailed(undefined);
    try {
      await post("/local/mapping", { enabled: on });
    } catch (cause) {
      setFailed(asProblem(cause));
    }
  };
  const counter = run && status ? status.stats.counted : 0,
    waits = !!run && counter < run.sent,
    enabled = status?.mapping.enabled;
  const rows = run
    ? [
        { title: "Sent", value: run.sent, does: "new readings, by this page" },
        { title: "Recount", value: stored?.events ?? 0, does: "events in the table, counted one by one" },
        { title: "Tidemark's rollups", value: total?.events ?? 0, does: "what a chart shows" },
        { title: "A plain counter", value: counter, does: "adds each record that aggregate receives" },
      ]
    : [];
  return (
    <main>
      <h1 tabIndex={-1}>Break it</h1>
      <p class="note lead">
        A function that adds stream records to a counter counts twice whenever Lambda delivers a batch again.
        Send readings, with a fault if you like, and see what each way of counting says. To make the table fail as
        DynamoDB does, start <code>tidemark dev --fault write-lost=0.05</code>.
      </p>
      <Notice problem={failed ?? problem} waiting={!status} />
      <div class="breaks">
        {faults.map((f) => (
          <div>
            <button disabled={busy || !status} onClick={() => send(f)}>
              {f.title}
            </button>
            <p class="note">{f.does}</p>
          </div>
        ))}
        {status && (
          <div>
            <button onClick={() => enable(!enabled)}>{enabled ? "Disable the mapping" : "Enable the mapping"}</button>
            <p class="note">
              {enabled
                ? "Readings are stored, and nothing is processed until you enable it again."
                : "The mapping is disabled: readings are stored, and not processed."}
            </p>
          </div>
        )}
      </div>
      {run && (
        <section aria-label="Result" aria-live="polite">
          <div class="figures four">
            {rows.map(({ title, value, does }) => (
              <div class={"figure" + (value > run.sent ? " wrong" : "")}>
                <span class="soft">{title}</span>
                <strong>{countText(value)}</strong>
                <small class="soft">
                  {value > run.sent ? `${countText(value - run.sent)} too many: ` : ""}
                  {does}
                </small>
              </div>
            ))}
          </div>
          <p class="facts">
            {!enabled
              ? "The mapping is disabled, so that new readings wait."
              : waits
                ? "The batch is on its way: the mapping waits a few seconds for more records."
                : run.said}{" "}
            <a href={href(["devices", run.subject])}>Its chart</a>
          </p>
        </section>
      )}
      {run && status && (
        <p class="note">
          Since this <code>tidemark dev</code> started: {countText(status.stats.batches)} batches in{" "}
          {countText(status.stats.invocations)} invocations, {countText(status.stats.again)} delivered again,{" "}
          {countText(status.stats.recut)} cut, {countText(status.stats.kills)} times the function was killed,{" "}
          {countText(status.stats.throttled)} requests throttled.
        </p>
      )}
    </main>
  );
}
