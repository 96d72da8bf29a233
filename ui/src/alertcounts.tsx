// Which subjects of a type had the most alerts.
import { useMemo, useState } from "preact/hooks";
import { NotProcessed } from "./chartview";
import { Notice, href } from "./parts";
import { usePages } from "./polled";
import { url } from "./api";

export interface Counted {
  subject: string;
  alerts: number;
  critical: number;
  warning: number;
  info: number;
  open: number;
  atLeast?: boolean; // it had more
}

const spans = ["24h", "7d", "30d", "90d"];
const shown = 20;

/** AlertCounts counts when it is opened, since it reads the alerts of every subject. */
export function AlertCounts({ subjects, utc }: { subjects: string; utc: boolean }) {
  const [open, setOpen] = useState(false);
  const [last, setLast] = useState("30d");
  const { data, problem } = usePages<Counted>(
    open ? url(["alerts", subjects, "counts"], { last }) : null,
    "subjects",
    5 * 60_000,
  );
  const counts = useMemo(() => (data?.all ?? []).toSorted((a, b) => b.alerts - a.alerts), [data]);
  return (
    <details class="take" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Which had the most alerts</summary>
      <div class="bar">
        <label>
          In the last{" "}
          <select value={last} onChange={(e) => setLast(e.currentTarget.value)}>
            {spans.map((span) => (
              <option key={span}>{span}</option>
            ))}
          </select>
        </label>
      </div>
      <Notice problem={problem} waiting={open && !data} />
      {counts.length > 0 && (
        <div class="wide" tabIndex={0} role="region" aria-label="Numbers of alerts">
          <table>
            <caption aria-live="polite">
              {counts.length} {subjects} had alerts
              {counts.length > shown && `; these ${shown} had the most`}
              {data?.more && ". There are more than this page reads"}
            </caption>
            <thead>
              <tr>
                <th scope="col">Subject</th>
                <th scope="col">Alerts</th>
                <th scope="col">Critical</th>
                <th scope="col">Warning</th>
                <th scope="col">Info</th>
                <th scope="col">Open</th>
              </tr>
            </thead>
            <tbody>
              {counts.slice(0, shown).map((c) => (
                <tr key={c.subject}>
                  <th scope="row">
                    <a href={href([subjects, c.subject])}>
                      <bdi>{c.subject}</bdi>
                    </a>
                  </th>
                  <td class="number">
                    {c.alerts}
                    {c.atLeast && "+"}
                  </td>
                  {[c.critical, c.warning, c.info, c.open].map((n, i) => (
                    <td class="number" key={i}>
                      {n}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && !counts.length && <p class="note">No alert was raised.</p>}
      <p class="note">
        <NotProcessed of={data} utc={utc} />
        As a command:{" "}
        <code>
          tidemark top {subjects} --alerts --last {last}
        </code>
      </p>
    </details>
  );
}
