// A table of alerts: of all subjects of a type, or of one subject.
import { href } from "./parts";
import { timeText } from "./time";
import type { Alert } from "./api";

// A severity has a shape beside its color.
const marks: Record<string, string> = { critical: "▲", warning: "◆", info: "●" };

/** AlertTable links to the subject of each alert if subjects is the path of their type. */
export function AlertTable({ alerts, subjects, utc }: { alerts: Alert[]; subjects?: string; utc: boolean }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Alerts">
      <table>
        <thead>
          <tr>
            {subjects && <th scope="col">Subject</th>}
            <th scope="col">Rule</th>
            <th scope="col">State</th>
            <th scope="col">Event</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((a) => (
            <tr key={a.id}>
              {subjects && (
                <th scope="row">
                  <a href={href([subjects, a.subject], { kind: a.kind, stream: a.stream ?? "" })}>
                    <bdi>{a.subject}</bdi>
                  </a>
                </th>
              )}
              <td class="rule">{a.rule}</td>
              <td>
                <span class={a.status === "open" ? "tag " + a.severity : ""}>
                  <span aria-hidden="true">{marks[a.severity] ?? ""}</span> {a.severity}, {a.status}
                </span>
              </td>
              <td>{timeText(a.at, utc)}</td>
              <td>{a.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
