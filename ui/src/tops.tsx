// The most frequent values of a site's dimensions, a card for each group of them.
import { useState } from "preact/hooks";
import { change } from "./address";
import { countText, percentText } from "./time";
import type { Shares } from "./api";
import { usePolled } from "./polled";

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

// Other dimensions are in a last card.
const placed = new Set(groups.flatMap((g) => g.tabs.map(([d]) => d)));

const named: Record<string, string> = { status: "Status codes", method: "Methods" };

/** tabParam names the parameter of the address that keeps the tab of a card. */
export const tabParam = (title: string) => "tab." + title;

interface Props {
  tops: Record<string, Shares>;
  all: boolean; // cards without values are shown too
  tab: (title: string) => string | null; // the chosen tab of a card
  unit: (dimension: string) => string; // what is counted: views, visits
  more: (dimension: string) => string | null; // where all values are read, if they can be
  filter?: (dimension: string) => ((value: string) => string) | undefined; // the link that filters by a value
}

/** Tops shows every dimension that has values. */
export function Tops({ tops, all: empties, ...rest }: Props) {
  const has = (d: string) => !!tops[d]?.values.length;
  const more = Object.keys(tops)
    .filter((d) => !placed.has(d) && has(d))
    .map((d): Tab => [d, named[d] ?? d]);
  if (!Object.keys(tops).some(has)) return null;
  const all = [...groups, { title: "More", tabs: more, empty: "" }].map((g) => ({
    ...g,
    tabs: g.tabs.filter(([d]) => has(d)),
  }));
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

function Card({ title, tabs, empty, tops, tab, unit, more, filter }: Group & Omit<Props, "all">) {
  const chosen = tab(title);
  const [dimension, name] = tabs.find(([d]) => d === chosen) ?? tabs[0] ?? ["", title];
  const shares = tops[dimension];
  return (
    <section class="card" aria-label={title}>
      <div class="bar tabs">
        <h2>{tabs.length > 1 ? title : name}</h2>
        {tabs.length > 1 &&
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
      {shares ? (
        <Values
          key={dimension}
          title={name}
          dimension={dimension}
          shares={shares}
          unit={unit(dimension)}
          path={more(dimension)}
          link={filter?.(dimension)}
        />
      ) : (
        <p class="empty">{empty}</p>
      )}
    </section>
  );
}

interface ValuesProps {
  title: string;
  dimension: string;
  shares: Shares;
  unit: string;
  path: string | null;
  link?: (value: string) => string;
}

/** Values lists the most frequent values, and by a click the others. */
function Values({ title, dimension, shares: first, unit, path, link }: ValuesProps) {
  const [all, showAll] = useState(false);
  const { data } = usePolled<Shares>(all ? path : null, 60_000);
  const shares = all && data ? data : first;
  const most = shares.values[0]?.count ?? 1;
  return (
    <table class="values">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col" class="number">
            {unit}
          </th>
          <th scope="col" class="number">
            Share
          </th>
        </tr>
      </thead>
      <tbody>
        {shares.values.map(({ value, count, share }) => {
          const text = valueText(dimension, value);
          return (
            <tr key={value}>
              <th scope="row">
                <span class="share" style={{ width: `${(100 * count) / most}%` }} />
                {link ? (
                  <a href={link(value)} title={`Only ${text}`}>
                    {text}
                  </a>
                ) : (
                  <span title={value}>{text}</span>
                )}
              </th>
              <td class="number">{countText(count)}</td>
              <td class="number soft">{percentText(share)}</td>
            </tr>
          );
        })}
        {shares.other > 0 && (
          <tr class="soft">
            <th scope="row">
              {path && !all ? (
                <button class="tab" onClick={() => showAll(true)}>
                  all others
                </button>
              ) : (
                "all others"
              )}
            </th>
            <td class="number">{countText(shares.other)}</td>
            <td />
          </tr>
        )}
      </tbody>
    </table>
  );
}

const inEnglish = (type: "region" | "language") => new Intl.DisplayNames("en", { type });
const names: Record<string, Intl.DisplayNames> = {
  country: inEnglish("region"),
  language: inEnglish("language"),
};

/** valueText returns the English name of a country or language, and other values as they are. */
export function valueText(dimension: string, value: string): string {
  try {
    return names[dimension]?.of(value) ?? value;
  } catch {
    return value; // it is not a code
  }
}
