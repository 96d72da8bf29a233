// The page of one subject: a chart of a measure, the latest state and the newest events.
import { useMemo, useState } from "preact/hooks";
import { shared } from "./access";
import { askedSeries } from "./asked";
import { ProfileFields } from "./events";
import { SeriesView } from "./series";
import { similar } from "./similar";
import { useSubjects } from "./subjects";
import { Notice, Title, href } from "./parts";
import { usePolled } from "./polled";
import { url, type Readable, type Series, type Subject } from "./api";

const shownStreams = 50;

interface Props {
  subjects: string;
  id: string;
  params: URLSearchParams;
  kinds: Readable[];
  utc: boolean;
  site: boolean;
}

export function SubjectPage({ subjects, id, params, kinds, utc, site }: Props) {
  const { data, problem } = usePolled<Subject>(url([subjects, id, "series"]), 30_000);
  const series = data?.series ?? [];
  const { chosen, absent } = askedSeries(series, params);
  const kind = kinds.find((k) => k.kind === chosen?.kind && k.subjects === subjects);
  return (
    <main>
      <div class="bar">
        <Title subjects={subjects} id={id} />
        {site && (
          <a class="choice" href={href([subjects, id])}>
            Visitors and visits
          </a>
        )}
      </div>
      {problem?.status === notFound && !shared ? (
        <Unknown subjects={subjects} id={id} />
      ) : (
        <Notice problem={problem} waiting={!data} />
      )}
      {data &&
        !chosen &&
        (data.profile ? (
          <p class="empty">
            {kinds.some((k) => k.subjects === subjects)
              ? "No event is stored yet."
              : `Subjects of this type have a profile, and no events.`}
          </p>
        ) : (
          <p class="empty">Nothing is stored for {id}.</p>
        ))}
      {chosen && absent && (
        <p class="empty" role="alert">
          <bdi>{id}</bdi> has no series <bdi>{absent}</bdi>. Shown is {seriesName(chosen, kinds)}.
        </p>
      )}
      {chosen && series.length > 1 && (
        <SeriesChoice place={[subjects, id]} series={series} chosen={chosen} kinds={kinds} />
      )}
      {chosen && !kind && (
        <p class="empty">
          The series {chosen.kind}
          {chosen.stream && ` · ${chosen.stream}`} cannot be shown: the API describes no kind {chosen.kind} of{" "}
          {subjects}. Its rows stay in the table. Declare the kind in tidemark.yaml again to read them.
        </p>
      )}
      {chosen && kind && (
        <SeriesView
          key={chosen.kind + "/" + chosen.stream}
          place={[subjects, id]}
          series={chosen}
          all={series}
          kind={kind}
          kinds={kinds}
          utc={utc}
          params={params}
        />
      )}
      {data?.profile && <ProfileFields path={url([subjects, id])} />}
    </main>
  );
}

const notFound = 404;

/** Unknown is shown for a subject that does not exist, with those that the reader may have meant. */
function Unknown({ subjects, id }: { subjects: string; id: string }) {
  const listed = useSubjects(subjects);
  const meant = useMemo(
    () =>
      similar(
        id,
        listed.subjects.map((s) => s.subject),
      ),
    [listed, id],
  );
  return (
    <p class="empty" role="alert">
      Nothing is stored for <bdi>{id}</bdi>. A new one is here some seconds after its first event.{" "}
      {meant.length > 0 && "Did you mean "}
      {meant.map((m) => (
        <>
          <a href={href([subjects, m])}>
            <bdi>{m}</bdi>
          </a>{" "}
        </>
      ))}
      {meant.length > 0 && "? "}
      <a href={href([subjects])}>All {subjects}</a>
    </p>
  );
}

/** seriesName is the path of a kind, as the API has it, and the stream. */
const seriesName = (s: Series, kinds: Readable[]) =>
  (kinds.find((k) => k.kind === s.kind)?.path ?? s.kind) + (s.stream && ` · ${s.stream}`);

/** SeriesChoice links to each series; with many streams, to those that contain a text. */
function SeriesChoice({
  place,
  series,
  chosen,
  kinds,
}: {
  place: string[];
  series: Series[];
  chosen: Series;
  kinds: Readable[];
}) {
  const [search, setSearch] = useState("");
  const name = (s: Series) => seriesName(s, kinds);
  const found = series.filter((s) => name(s).toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <nav class="bar" aria-label="Series">
      {series.length > shownStreams && (
        <label>
          Find a series{" "}
          <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        </label>
      )}
      {found.slice(0, shownStreams).map((s) => (
        <a
          key={s.kind + "/" + s.stream}
          class="choice"
          aria-current={s === chosen ? "true" : undefined}
          href={href(place, { kind: s.kind, stream: s.stream })}
        >
          {name(s)}
        </a>
      ))}
      {found.length > shownStreams && (
        <span class="note">
          and {found.length - shownStreams} more of {series.length}
        </span>
      )}
    </nav>
  );
}
