// Recounting one bucket from its events, at a click: a read that changes nothing.
import { useState } from "preact/hooks";
import { shared } from "./access";
import { Problem, request, url, type Rollup } from "./api";
import { Notice } from "./parts";
import { timeText } from "./time";
import { verificationText, verifyCommand, wrong, type Verification } from "./verification";

interface Props {
  parts: string[]; // of the path of the series
  stream: string;
  bucket: Rollup;
  utc: boolean;
}

/** Verify compares a bucket with its events when the reader asks for it. */
export function Verify({ parts, stream, bucket, utc }: Props) {
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<Verification>();
  const [problem, setProblem] = useState<Problem>();
  const ask = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const path = url([...parts, "verify", bucket.tier], { at: bucket.bucket, stream });
      setFound((await request(path)).body as Verification);
    } catch (cause) {
      setProblem(cause instanceof Problem ? cause : new Problem(-1, String(cause)));
    }
    setBusy(false);
  };
  return (
    <div class="verify">
      <div class="bar">
        <button onClick={ask} disabled={busy}>
          Verify this bucket
        </button>
        {!shared && (
          <details class="take">
            <summary>as a command</summary>
            <code>{verifyCommand(parts.slice(0, 2).join("/"), bucket)}</code>
          </details>
        )}
      </div>
      <Notice problem={problem} waiting={busy && !found} />
      {found && (
        <p class={wrong(found) ? "problem" : "note"} role="status">
          {verificationText(found)}
        </p>
      )}
      {!!found?.lateEvents.length && <Late found={found} utc={utc} />}
    </div>
  );
}

function Late({ found, utc }: { found: Verification; utc: boolean }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Late events">
      <table>
        <caption>Arrived after the bucket had closed</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Id</th>
            <th scope="col">Arrived</th>
          </tr>
        </thead>
        <tbody>
          {found.lateEvents.map((e) => (
            <tr key={e.at + e.id}>
              <th scope="row">{timeText(e.at, utc)}</th>
              <td>
                <bdi>{e.id}</bdi>
              </td>
              <td>{timeText(e.arrivedAt, utc)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.late > found.lateEvents.length && (
        <p class="note">These are the first {found.lateEvents.length} by arrival.</p>
      )}
    </div>
  );
}
