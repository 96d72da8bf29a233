// What the counters of the members of each group have counted in a month.
import { useMemo, useState } from "preact/hooks";
import { NotProcessed } from "./chartview";
import { currentTime } from "./clock";
import { headText } from "./figures";
import { numberText } from "./number";
import { Notice, href } from "./parts";
import { monthStart } from "./period";
import { usePages } from "./polled";
import { addIncreases, pageIncreases, type Increase } from "./sums";
import { iso, monthText } from "./time";
import { url, type Readable } from "./api";

interface Props {
  level: Readable; // the kind of the groups
  members: string; // the path of the type of their members
  counter: string;
  utc: boolean;
}

/** Increases reads the rows of all members, so it waits until it is opened. */
export function Increases({ level, members, counter, utc }: Props) {
  const [open, setOpen] = useState(false);
  const [back, setBack] = useState(1); // months
  const now = currentTime();
  const [from, to] = [monthStart(now, utc, -back), monthStart(now, utc, 1 - back)];
  const asked = { from: iso(from), to: iso(to) };
  const { data, problem } = usePages<Increase>(
    open ? url(["increases", members, level.path, counter], asked) : null,
    pageIncreases,
    5 * 60_000,
  );
  const sums = useMemo(() => addIncreases(data?.all ?? []), [data]);
  return (
    <details class="take" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>What {counter} has counted in each</summary>
      <div class="bar">
        <button aria-label="The month before" onClick={() => setBack(back + 1)}>
          ←
        </button>
        <span>{monthText(from, utc)}</span>
        <button aria-label="The month after" disabled={back === 0} onClick={() => setBack(back - 1)}>
          →
        </button>
      </div>
      <Notice problem={problem} waiting={open && !data} />
      {sums.length > 0 && (
        <table>
          <caption aria-live="polite">
            {back === 0 && "So far, through the last bucket that has closed"}
            {data?.more && " There are more members than this page reads"}
          </caption>
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col">Members</th>
              <th scope="col">Increase of {headText(counter, level.units?.[counter])}</th>
            </tr>
          </thead>
          <tbody>
            {sums.map(({ group, rest, members, increase, exact }) => (
              <tr key={JSON.stringify([group, rest])}>
                <th scope="row">
                  {rest ? (
                    <span class="note">{rest}</span>
                  ) : (
                    <a href={href([level.subjects, group])}>
                      <bdi>{group}</bdi>
                    </a>
                  )}
                </th>
                <td class="number">{members}</td>
                <td class="number">
                  {!exact && increase !== undefined && "≈ "}
                  {increase === undefined ? "–" : numberText(increase)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && !sums.length && (
        <p class="note">No member has a reading without a stream in a bucket that has closed.</p>
      )}
      <p class="note">
        <NotProcessed of={data} utc={utc} />
        As a command:{" "}
        <code>
          tidemark top {level.subjects} --increase {counter} --from {asked.from} --to {asked.to}
        </code>
      </p>
    </details>
  );
}
