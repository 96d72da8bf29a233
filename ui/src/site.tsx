// The page of a site: its visitors, views and visits in a period, compared with the period before.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { shared } from "./access";
import { change } from "./address";
import { url, type Total } from "./api";
import { Card } from "./card";
import { Dates } from "./dates";
import { Goals } from "./goals";
import { Imported } from "./imported";
import { Over } from "./over";
import { Notice, Title, href } from "./parts";
import { periodNames, periodOf, realtime, realtimeMinutes } from "./period";
import { usePolled } from "./polled";
import { countedBy, dimensionOf, halves, ofCustomEvents, property, question } from "./report";
import type { Filters, Span } from "./report";
import { Facts } from "./sitefacts";
import { figures } from "./sitefigures";
import type { SiteKinds } from "./sitekinds";
import { useClock, useFiltered, useTops, useTotals, type Asked, type Summaries } from "./sitereads";
import { within } from "./spans";
import { countText, localZone } from "./time";
import { Tops, fieldTitle, tabParam, valueText } from "./tops";

interface Props {
  subjects: string;
  id: string;
  params: URLSearchParams;
  kinds: SiteKinds;
  utc: boolean;
}

export function SitePage({ subjects, id, params, kinds, utc }: Props) {
  const { views, visits, named } = kinds;
  const clock = useClock(),
    name = params.get("period"),
    by = params.get("by");
  const period = useMemo(() => periodOf(name, clock, utc, by), [name, clock, utc, by]);
  const live = period.name === realtime;
  const fields = useMemo(() => new Set([...visits.dimensions, "path", "hostname", "name"]), [visits]);
  // A filter counts events by their visitors, which a link does not show.
  const filterable = (d: string) => !shared && (fields.has(d) || d.startsWith(property));
  const filters: Filters = [...params].filter(([d]) => filterable(d));
  const address = (changes: { period?: string; filters?: Filters }) =>
    href(
      [subjects, id],
      [["period", changes.period ?? period.name], ...kept(params), ...(changes.filters ?? filters)],
    );

  const asked: Asked = { place: [subjects, id], kinds, period, filters, clock, utc };
  const { now, past } = useTotals(asked);
  const filtered = useFiltered(asked),
    { base, spans } = filtered;
  const summary: Summaries = filters.length
    ? { views: filtered.chosen?.views, visits: filtered.chosen?.visits }
    : { views: now.views.data, visits: now.visits.data };
  const earlier: Summaries = filters.length
    ? { views: filtered.before?.views, visits: filtered.before?.visits }
    : { views: past.views.data, visits: past.visits.data };
  const problem = now.views.problem ?? now.visits.problem ?? filtered.now.problem;
  const waiting = !summary.views && !problem;
  const tops = useTops(now),
    topsBefore = useTops(past);
  const pairs = [...(views.pairs ?? []), ...(visits.pairs ?? [])];
  const halvesOf = (d: string) => pairs.find((p) => p.name === d)?.of ?? [d];
  const has = (kind: { data?: Total }, d: string) => d in (kind.data?.dimensions ?? {});
  const ofVisit = (d: string) => has(now.visits, d) && !has(now.views, d);
  const metric = (d: string) => countedBy(d, filters, ofVisit(d));
  // Days of UTC are days of the tier. In another zone, the API counts exactly the events of the range.
  const whole = utc
    ? { tier: period.unit === "day" ? "day" : "hour", ...within(period.range) }
    : { zone: localZone, ...within(period.range) };
  const more = (d: string) => {
    const kind = [views, visits, named].find((k) => k?.dimensions.includes(d));
    if (!kind || period.unit === "month") return null;
    return url([subjects, id, kind.path, "top", d], {
      limit: "200",
      ...(live ? { tier: "minute", last: realtimeMinutes + "m" } : whole),
    });
  };
  // Where the API refuses to count the period before, it would refuse each part of it.
  const compared = !!filtered.past.data;
  const ask = (d: string, limit: number) => {
    const over = (span: Span) => question(base, span, [metric(d)], halvesOf(d).map(dimensionOf), limit);
    return { now: over(spans.now), before: compared ? over(spans.before) : null };
  };
  const shown = figures.find((f) => f.title === params.get("show")) ?? figures[0];
  const usable = figures.filter((f) => f.of === "views" || !live || filters.length > 0);
  const figure = usable.includes(shown) ? shown : figures[0];
  return (
    <main>
      <div class="bar">
        <Title subjects={subjects} id={id} />
        <Present
          path={url([subjects, id, views.path, "rollups", "total"], { last: "5m" })}
          visitor={kinds.visitor}
        />
      </div>
      <Periods shown={period.name} address={(name) => address({ period: name })}>
        <a class="choice end" href={href([subjects, id], [["kind", views.kind]])}>
          Charts and events
        </a>
      </Periods>
      <Dates period={period} clock={clock} utc={utc} />
      {name !== null && name !== period.name && (
        <p class="empty" role="alert">
          The period <bdi>{name}</bdi> cannot be shown. Shown is “{period.title}”.
        </p>
      )}
      <Chips filters={filters} without={(i) => address({ filters: filters.toSpliced(i, 1) })} />
      <Notice problem={problem} waiting={waiting} />
      {summary.views && (
        <>
          <section aria-label="Figures">
            <div class="figures">
              {figures.map((f) => (
                <Card
                  key={f.title}
                  figure={f}
                  title={f.title === "Views" && filters.some(([d]) => ofCustomEvents(d)) ? "Events" : f.title}
                  pressed={f === figure}
                  choose={() => change({ show: f.title })}
                  disabled={!usable.includes(f)}
                  visitor={kinds.visitor}
                  now={summary[f.of]}
                  past={earlier[f.of]}
                />
              ))}
            </div>
            {(!live || !filters.length) && (
              <Over
                key={figure.title}
                figure={figure}
                period={period}
                utc={utc}
                place={[subjects, id]}
                kind={kinds[figure.of]}
                visitor={kinds.visitor}
                base={filters.length ? base : undefined}
                compared={compared}
                clock={clock}
              />
            )}
            <Facts
              period={period}
              utc={utc}
              total={filters.length ? undefined : now.views.data}
              filtered={filters.length > 0}
              warnings={filtered.now.data?.meta.warnings ?? {}}
              before={filters.length ? filtered.past.problem : past.views.problem}
            />
          </section>
          {summary.views.events === 0 && (filters.length > 0 || !now.named.data?.events) && (
            <p class="empty">
              {filters.length
                ? "No view of the period has these values."
                : "No view in this period. Choose a longer one, or see README for the tag that sends views."}
            </p>
          )}
          {visits.goals && now.visits.data && !filters.length && (
            <Goals goals={visits.goals} visits={now.visits.data} utc={utc} />
          )}
          <Tops
            tab={(title) => params.get(tabParam(title))}
            tops={tops}
            past={topsBefore}
            pairs={pairs}
            all={!filters.length}
            unit={(d) => counts[metric(d)]}
            more={more}
            ask={filters.length ? ask : undefined}
            filter={(d) => {
              const of = halvesOf(d);
              if (!of.every(filterable)) return;
              const others = filters.filter(([f]) => !of.includes(f));
              const added = (v: string) => of.map((f, i): Filters[0] => [f, halves(v)[i]]);
              return (v) => address({ filters: [...others, ...added(v)] });
            }}
          />
          {!filters.length && (
            <Imported
              id={id}
              place={[subjects, id]}
              views={views}
              days={kinds.imported}
              period={period}
              utc={utc}
            />
          )}
        </>
      )}
    </main>
  );
}

const counts: Record<string, string> = { pageviews: "Views", visits: "Visits", events: "Events" };

/** kept returns the parameters of a view that a link to another period or filter keeps. */
const kept = (params: URLSearchParams) =>
  [...params].filter(([name]) => ["show", "zone", "by"].includes(name) || name.startsWith(tabParam("")));

interface PeriodsProps {
  shown: string;
  address: (name: string) => string;
  children: ComponentChildren;
}

/** Periods links to each period that has a name. */
function Periods({ shown, address, children }: PeriodsProps) {
  return (
    <nav class="bar" aria-label="Period">
      {periodNames.map(({ name, title }) => (
        <a class="choice" aria-current={name === shown ? "true" : undefined} href={address(name)}>
          {title}
        </a>
      ))}
      {children}
    </nav>
  );
}

/** Chips shows the filters, each as a link to the page without it. */
function Chips({ filters, without }: { filters: Filters; without: (i: number) => string }) {
  if (!filters.length) return null;
  return (
    <ul class="bar filters" aria-label="Filters">
      {filters.map(([d, v], i) => (
        <li key={d + v}>
          <a class="chip" href={without(i)}>
            <span class="away">Remove the filter</span> <span class="soft">{fieldTitle(d)}</span>{" "}
            <bdi>{valueText([d], v)}</bdi> <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Present counts the visitors of the last five minutes. */
function Present({ path, visitor }: { path: string; visitor: string }) {
  const { data } = usePolled<Total>(path);
  const n = data?.distinct?.[visitor]?.count ?? 0;
  return (
    <p class={"present" + (n ? " some" : "")} aria-live="polite">
      {data ? `${countText(n)} ${n === 1 ? "visitor" : "visitors"} in the last 5 minutes` : ""}
    </p>
  );
}
