// The groups that the subjects of a type are in: the levels, and the groups of each.
import { useState } from "preact/hooks";
import { Increases } from "./increases";
import { MemberCounts } from "./membercounts";
import { Notice, href } from "./parts";
import { NotProcessed } from "./chartview";
import { usePolled } from "./polled";
import { url, type Readable, type Subjects } from "./api";

/** levels returns the kinds of the groups of a type of subject. */
export const levels = (kinds: Readable[], subjects: string) =>
  kinds.filter((k) => kinds.some((of) => of.kind === k.groupsOf && of.subjects === subjects));

const shown = 24;

/** Groups lists the groups of a type of subject, level by level. A closed level is not read. */
export function Groups({ kinds, subjects, utc }: { kinds: Readable[]; subjects: string; utc: boolean }) {
  const own = levels(kinds, subjects);
  if (!own.length) return null;
  return (
    <section aria-label="Groups">
      <h2>Groups</h2>
      {own.map((level) => (
        <Level key={level.kind} level={level} members={subjects} first={level === own[0]} utc={utc} />
      ))}
    </section>
  );
}

interface LevelProps {
  level: Readable;
  members: string;
  first: boolean;
  utc: boolean;
}

function Level({ level, members, first, utc }: LevelProps) {
  const [open, setOpen] = useState(first);
  const { data, problem } = usePolled<Subjects>(
    open ? url([level.subjects], { limit: String(shown) }) : null,
    60_000,
  );
  const groups = [...new Set(data?.subjects.map((s) => s.subject))];
  return (
    <details open={first} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{level.subjects}</summary>
      <Notice problem={problem} waiting={open && !data} />
      <div class="bar">
        {groups.map((id) => (
          <a class="choice" key={id} href={href([level.subjects, id])}>
            <bdi>{id}</bdi>
          </a>
        ))}
        <a class="choice" href={href([level.subjects])}>
          {data?.next ? "More, as a list" : "As a list"}
        </a>
      </div>
      <p class="facts">
        <NotProcessed of={data} utc={utc} />
      </p>
      {data && !groups.length && <p class="note">No bucket of a group has closed yet.</p>}
      <MemberCounts level={level} members={members} utc={utc} />
      {level.counters?.map((counter) => (
        <Increases key={counter} level={level} members={members} counter={counter} utc={utc} />
      ))}
      <p class="note">
        As a command: <code>tidemark ls {level.subjects}</code>
      </p>
    </details>
  );
}
