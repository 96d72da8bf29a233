// The most frequent values of a site's dimensions, a card for each group of them.
import { useState } from "preact/hooks";
import { change } from "./address";
import { beforeOf, halves, property, sharesOf, type Question } from "./report";
import { countText, percentText } from "./time";
import type { Shares } from "./api";
import { Notice } from "./parts";
import { usePolled, useReport } from "./polled";

type Tab = [dimension: string, title: string];

interface Group {
  title: string;
  tabs: Tab[];
  empty: string;
} // empty says why there are no values; "" hides the card

const groups: Group[] = [
  {
    title: "Pages",
    tabs: [
      ["path", "Pages"],
      ["entry", "Entry pages"],
      ["exit", "Exit pages"],
      ["hostname", "Hosts"],
    ],
    empty: "No page was viewed.",
  },
  {
    title: "Sources",
    tabs: [
      ["channel", "Channels"],
      ["source", "Sources"],
      ["referrer", "Referrers"],
    ],
    empty: "No view came from another site.",
  },
  {
    title: "Places",
    tabs: [
      ["country", "Countries"],
      ["region", "Regions"],
      ["language", "Languages"],
    ],
    empty: "No country is known. collector.trust in tidemark.yaml says whose headers name it.",
  },
  {
    title: "Devices",
    tabs: [
      ["device", "Devices"],
      ["browser", "Browsers"],
      ["os", "Systems"],
      ["screen", "Screens"],
    ],
    empty: "No device is known.",
  },
  {
    title: "Events",
    tabs: [["name", "Events"]],
    empty: 'No custom event was sent. A page sends one with tidemark("Sign up").',
  },
  {
    title: "Campaigns",
    tabs: [
      ["utm_campaign", "Campaigns"],
      ["utm_source", "Sources"],
      ["utm_medium", "Media"],
      ["utm_term", "Terms"],
      ["utm_content", "Contents"],
    ],
    empty: "",
  },
];

// Other dimensions are in a last card, properties of custom events and pairs in cards of their own.
const placed = new Set(groups.flatMap((g) => g.tabs.map(([d]) => d)));

const named: Record<string, string> = { status: "Status codes", method: "Methods" };

const titles = new Map(groups.flatMap((g) => g.tabs));

/** fieldTitle names a field, as the tab of its table does. */
export const fieldTitle = (field: string) =>
  field.startsWith(property)
    ? field.slice(property.length)
    : (titles.get(field) ?? named[field] ?? field);

/** tabParam names the parameter of the address that keeps the tab of a card. */
export const tabParam = (title: string) => "tab." + title;

/** A pair of fields whose values are counted together. */
export interface Pair {
  name: string;
  of: [string, string];
}

interface Props {
  tops: Record<string, Shares>;
  past: Record<string, Shares>; // of the period before
  pairs: Pair[];
  all: boolean; // cards without values are shown too
  tab: (title: string) => string | null; // the chosen tab of a card
  unit: (dimension: string) => string; // what is counted: views, visits
  more: (dimension: string) => string | null; // where all values are read, if they can be
  /** Under filters, the questions for the values of a dimension, now and in the period before. */
  ask?: (dimension: string, limit: number) => { now: Question; before: Question | null };
  filter: (dimension: string) => ((value: string) => string) | undefined; // the link that filters by a value
}

/** Tops shows every dimension that has values. */
export function Tops({ tops, all: empties, ...rest }: Props) {
  const has = (d: string) => !!tops[d]?.values.length;
  const pairs = rest.pairs.map(({ name, of: [a, b] }): Tab => [
    name,
    `${fieldTitle(a)} and ${fieldTitle(b).toLowerCase()}`,
  ]);
  const properties = Object.keys(tops).filter((d) => d.startsWith(property));
  const known = new Set([...placed, ...properties, ...pairs.map(([d]) => d)]);
  const more = Object.keys(tops)
    .filter((d) => !known.has(d))
    .map((d): Tab => [d, fieldTitle(d)]);
  if (!Object.keys(tops).some(has)) return null;
  const all = [
    ...groups,
    { title: "Properties", tabs: properties.map((d): Tab => [d, fieldTitle(d)]), empty: "" },
    { title: "Pairs", tabs: pairs, empty: "" },
    { title: "More", tabs: more, empty: "" },
  ].map((g) => ({ ...g, tabs: g.tabs.filter(([d]) => has(d)) }));
  return (
    <div class="cards">
      {all
        .filter((g) => g.tabs.length || (empties && g.empty))
        .map((g) => (
          <Card key={g.title} {...g} tops={tops} {...rest} />
        ))}
    </div>
  );
}

function Card({ title, tabs, empty, tops, tab, unit, ...rest }: Group & Omit<Props, "all">) {
  const chosen = tab(title);
  const [dimension, name] = tabs.find(([d]) => d === chosen) ?? tabs[0] ?? ["", title];
  const shares = tops[dimension],
    several = tabs.length > 1 || !placed.has(dimension);
  const fields = rest.pairs.find((p) => p.name === dimension)?.of ?? [dimension];
  const table = { dimension, fields, title: name, unit: unit(dimension), link: rest.filter(dimension) };
  return (
    <section class="card" aria-label={title}>
      <div class="bar tabs">
        <h2>{several ? title : name}</h2>
        {several &&
          tabs.map(([d, text]) => (
            <button
              class="tab"
              aria-pressed={d === dimension}
              onClick={() => change({ [tabParam(title)]: d }, true)}
            >
              {text}
            </button>
          ))}
      </div>
      {!shares && <p class="empty">{empty}</p>}
      {shares && rest.ask && <Asked key={dimension} {...table} ask={rest.ask} />}
      {shares && !rest.ask && (
        <Counted
          key={dimension}
          {...table}
          shares={shares}
          past={rest.past[dimension]}
          path={rest.more(dimension)}
        />
      )}
    </section>
  );
}

interface TableProps {
  dimension: string;
  fields: string[]; // of the dimension: two of a pair
  title: string;
  unit: string;
  link?: (value: string) => string;
}

/** Counted shows the most frequent values of rollups, and by a click the others. */
function Counted({
  shares: first,
  past,
  path,
  ...table
}: TableProps & { shares: Shares; past?: Shares; path: string | null }) {
  const [all, showAll] = useState(false);
  const { data, problem } = usePolled<Shares>(all ? path : null, 60_000);
  const shares = all && data ? data : first;
  return (
    <>
      <Notice problem={problem} waiting={all && !data} />
      <Values
        {...table}
        shares={shares}
        past={past}
        search={all}
        showAll={path && !all && shares.other > 0 ? () => showAll(true) : undefined}
      />
    </>
  );
}

const shownValues = 10,
  mostValues = 1000;

/** Asked shows the values that the Stats API counts under filters. */
function Asked({ ask, ...table }: TableProps & { ask: NonNullable<Props["ask"]> }) {
  const [all, showAll] = useState(false);
  const asked = ask(table.dimension, all ? mostValues : shownValues);
  const now = useReport(asked.now),
    before = useReport(asked.before && { ...asked.before, pagination: { limit: mostValues } });
  if (!now.data) return <Notice problem={now.problem} waiting />;
  const shares = sharesOf(now.data);
  if (!shares.values.length && !shares.more) return <p class="empty">None under these filters.</p>;
  return (
    <>
      <Notice problem={now.problem} waiting={false} />
      <Values
        {...table}
        shares={shares}
        past={before.data && sharesOf(before.data)}
        search={all}
        showAll={shares.more && !all ? () => showAll(true) : undefined}
      />
    </>
  );
}

interface ValuesProps extends TableProps {
  shares: Shares;
  past?: Shares;
  search: boolean;
  showAll?: () => void;
}

/** Values is a table of values, with the change of each since the period before. */
function Values({ fields, title, unit, link, shares, past, search, showAll }: ValuesProps) {
  const [text, setText] = useState("");
  const most = shares.values[0]?.count ?? 1;
  const wanted = text.trim().toLowerCase();
  const values = shares.values.filter((v) => valueText(fields, v.value).toLowerCase().includes(wanted));
  const rest = shares.other > 0 || shares.more;
  return (
    <>
      {search && (
        <label class="find">
          Find <input type="search" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        </label>
      )}
      <table class="values">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col" class="number">
              {unit}
            </th>
            <th scope="col" class="number share-of">
              Share
            </th>
            <th scope="col" class="number">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {values.map(({ value, count, share }) => {
            const name = valueText(fields, value);
            return (
              <tr key={value}>
                <th scope="row">
                  <span class="share" style={{ width: `${(100 * count) / most}%` }} />
                  {link ? (
                    <a href={link(value)} title={`Only ${name}`}>
                      <bdi>{name}</bdi>
                    </a>
                  ) : (
                    <span title={name}>
                      <bdi>{name}</bdi>
                    </span>
                  )}
                </th>
                <td class="number">{countText(count)}</td>
                <td class="number soft share-of">{percentText(share)}</td>
                <td class="number soft">
                  <Changed now={count} before={beforeOf(value, past)} />
                </td>
              </tr>
            );
          })}
          {rest && (
            <tr class="soft">
              <th scope="row">
                {showAll ? (
                  <button class="tab" onClick={showAll}>
                    all others
                  </button>
                ) : (
                  "all others"
                )}
              </th>
              <td class="number">{shares.other > 0 ? countText(shares.other) : ""}</td>
              <td class="share-of" />
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </>
  );
}

/** Changed says how a count differs from the period before. */
function Changed({ now, before }: { now: number; before: number | null }) {
  if (before === null) return <span title="not known for the period before">–</span>;
  if (before === 0) return <span title="none in the period before">new</span>;
  const by = (now - before) / before;
  const mark = Math.abs(by) < 0.005 ? "" : by > 0 ? "▲ " : "▼ ";
  return (
    <span title={`${countText(before)} in the period before`}>
      <span aria-hidden="true">{mark}</span>
      {by < 0 && mark && <span class="away">minus </span>}
      {percentText(Math.abs(by))}
    </span>
  );
}

const inEnglish = (type: "region" | "language") => new Intl.DisplayNames("en", { type });
const names: Record<string, Intl.DisplayNames> = {
  country: inEnglish("region"),
  language: inEnglish("language"),
};

/** valueText returns a value of a field, or of a pair of fields, with the English names of countries and languages. */
export const valueText = (fields: string[], value: string) =>
  fields.length === 1
    ? nameOf(fields[0], value)
    : halves(value)
        .map((v, i) => nameOf(fields[i], v))
        .join(" · ");

function nameOf(field: string, value: string): string {
  if (!value) return "none";
  try {
    return names[field]?.of(value) ?? value;
  } catch {
    return value; // it is not a code
  }
}
