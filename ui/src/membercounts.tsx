// How many members the groups of a level have, and how many of them are silent.
import { useMemo, useState } from "preact/hooks";
import { NotProcessed } from "./chartview";
import { addCounts, pageCounts, type Count } from "./counts";
import { Notice, href } from "./parts";
import { usePages } from "./polled";
import { url, type Readable } from "./api";

const span = "30m";

interface Props {
  level: Readable; // the kind of the groups
  members: string; // the path of the type of their members
  utc: boolean;
}

/** MemberCounts counts when it is opened, since it reads the newest event of each member. */
export function MemberCounts({ level, members, utc }: Props) {
  const [open, setOpen] = useState(false);
  const asked = { members: "true", for: span };
  const { data, problem } = usePages<Count>(
    open ? url(["silent", members, level.path], asked) : null,
    pageCounts,
    5 * 60_000,
  );
  const counts = useMemo(() => addCounts(data?.all ?? []), [data]);
  return (
    <details class="take" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Members of each, and silent ones</summary>
      <Notice problem={problem} waiting={open && !data} />
      {counts.length > 0 && (
        <table>
          <caption aria-live="polite">
            {members} in {counts.filter((c) => c.group !== null).length} {level.subjects}
            {data?.more && "; there are more than this page counts"}
          </caption>
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col">Members</th>
              <th scope="col">Silent for {span}</th>
            </tr>
          </thead>
          <tbody>
            {counts.map(({ group, known, members, silent }) => (
              <tr key={JSON.stringify([group, known])}>
                <th scope="row">
                  {group === null ? (
                    <span class="note">{known ? "in no group" : "group not known"}</span>
                  ) : (
                    <a href={href([level.subjects, group])}>
                      <bdi>{group}</bdi>
                    </a>
                  )}
                </th>
                <td>{members}</td>
                <td>{silent}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && !counts.length && <p class="note">There are no members.</p>}
      <p class="note">
        <NotProcessed of={data} utc={utc} />
        As a command: <code>tidemark ls {members} --silent {span} --by {level.path}</code>
      </p>
    </details>
  );
}
