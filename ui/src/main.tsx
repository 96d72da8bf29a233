// The frame of the pages. The part of the address after # selects the page, so that every page is
// one static file: #/devices, #/devices/sensor_01?kind=READING. The pages of the service are below #/-/.
import "./notices";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { render, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { change } from "./address";
import { useAway } from "./away";
import { BreakPage } from "./break";
import { Fleet } from "./fleet";
import { HealthPage } from "./health";
import { Notice, href } from "./parts";
import { SitePage } from "./site";
import { siteKinds } from "./sitekinds";
import { SubjectPage } from "./subject";
import { TiersPage } from "./tiers";
import { localZone, timeText } from "./time";
import { begin, home, ownMachine, shared, signIn, tokenIn } from "./access";
import { kindsOf, request, typesOf, type API, type Readable } from "./api";
import { follow, usePolled } from "./polled";

/** The pages of the service itself. */
const service = "-";
interface Service {
  api: API;
  kinds: Readable[];
  utc: boolean;
  local: boolean;
}
const pages: { name: string; title: string; local?: boolean; page: (s: Service) => ComponentChildren }[] = [
  { name: "tiers", title: "Tiers", page: (s) => <TiersPage {...s} /> },
  { name: "health", title: "Health", page: (s) => <HealthPage {...s} /> },
  { name: "break", title: "Break it", local: true, page: (s) => <BreakPage {...s} /> },
];

interface Place {
  parts: string[];
  params: URLSearchParams;
}

function place(): Place {
  const root = home.slice(0, -1); // the slash may be absent behind the token of a link
  const [path, query] = (location.hash.startsWith(root) ? location.hash.slice(root.length) : "").split("?");
  try {
    const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
    return {
      parts: shared && !parts.length ? [shared.subjects, shared.id] : parts,
      params: new URLSearchParams(query),
    };
  } catch {
    return { parts: [], params: new URLSearchParams() }; // the address has an incomplete escape
  }
}

const keptZone = "zone";
const clockText = (t: number) => new Date(t).toLocaleTimeString("en-GB");

/** usesUTC is what the address says of the zone, then what this browser chose before. */
function usesUTC(params: URLSearchParams): boolean {
  const chosen = params.get(keptZone) ?? localStorage.getItem(keptZone);
  return chosen ? chosen === "utc" : localZone === "UTC";
}

function chooseUTC(utc: boolean) {
  const zone = utc ? "utc" : "local";
  localStorage.setItem(keptZone, zone);
  change({ [keptZone]: zone });
}

const focusHeading = () => (document.querySelector("main h1") as HTMLElement | null)?.focus();

function App() {
  const [at, setAt] = useState(place);
  const utc = usesUTC(at.params);
  const away = useAway();
  useEffect(() => {
    const moved = () => (tokenIn(location.hash) === shared?.token ? setAt(place()) : location.reload());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const { data: api, problem } = usePolled<API>("/openapi.json", 60_000);
  const kinds = api ? kindsOf(api) : [];
  const types = api ? typesOf(api, kinds) : [];
  const [subjects = types[0], id] = at.parts;
  const [local, setLocal] = useState(false);
  // tidemark dev returns its status, and tidemark ui no content: what it shows is not its own.
  useEffect(() => {
    if (ownMachine)
      request("/local/status").then(
        ({ body }) => {
          if ("stats" in (body as object)) {
            setLocal(true);
            follow();
          }
        },
        () => {},
      );
  }, []);
  const known = types.includes(subjects);
  const own = subjects === service && !shared ? pages.find((p) => p.name === id) : undefined;
  const absent = !!api && !own && !known;
  useEffect(() => {
    const title = absent ? ["No such page"] : [own?.title ?? id, !own && subjects];
    document.title = [...title, "Tidemark"].filter(Boolean).join(" · ");
  }, [id, subjects, absent]);
  const site = siteKinds(kinds, subjects);
  const page = at.parts.join("/");
  const opened = useRef(page);
  useEffect(() => {
    if (opened.current === page) return; // the first page keeps the browser's focus
    opened.current = page;
    focusHeading();
  }, [page]);
  return (
    <>
      <button class="skip" onClick={focusHeading}>
        Skip to the content
      </button>
      <header>
        <a class="brand" href={home}>
          Tidemark
        </a>
        {shared ? (
          <span class="soft">
            {api && "Shared with you"}
            {api && shared.until > 0 && ` until ${timeText(new Date(shared.until).toISOString(), utc)}`}
          </span>
        ) : (
          <>
            <nav aria-label="Types of subject">
              {types.map((t) => (
                <a class="choice" aria-current={t === subjects ? "page" : undefined} href={href([t])}>
                  {t}
                </a>
              ))}
            </nav>
            <nav aria-label="Service" class="end">
              {pages
                .filter((p) => !p.local || local)
                .map((p) => (
                  <a
                    class="choice"
                    aria-current={p === own ? "page" : undefined}
                    href={href([service, p.name])}
                  >
                    {p.title}
                  </a>
                ))}
            </nav>
          </>
        )}
        <label class="zone">
          <input type="checkbox" checked={utc} onChange={(e) => chooseUTC(e.currentTarget.checked)} /> UTC{" "}
          <span>{!utc && `(now ${localZone})`}</span>
        </label>
      </header>
      {away && (
        <p class="problem away-banner" role="alert">
          The API cannot be reached since {clockText(away.since)}.
          {away.last > 0 && ` What is shown is as of ${clockText(away.last)}.`} The page tries again every few
          seconds.
        </p>
      )}
      {!api && (
        <main>
          <Notice problem={problem} waiting />
        </main>
      )}
      {api && own && own.page({ api, kinds, utc, local })}
      {absent && (
        <main>
          <h1 tabIndex={-1}>No such page</h1>
          <p class="empty">
            There is no page “{[subjects, id].filter(Boolean).join("/")}”.{" "}
            <a href={home}>Show {shared?.id ?? types[0]}</a>
          </p>
        </main>
      )}
      {api &&
        known &&
        (id === undefined ? (
          <Fleet key={subjects} subjects={subjects} kinds={kinds} utc={utc} params={at.params} />
        ) : site && !at.params.has("kind") ? (
          <SitePage
            key={subjects + "/" + id}
            subjects={subjects}
            id={id}
            params={at.params}
            kinds={site}
            utc={utc}
          />
        ) : (
          <SubjectPage
            key={subjects + "/" + id}
            subjects={subjects}
            id={id}
            params={at.params}
            kinds={kinds}
            utc={utc}
            site={!!site}
          />
        ))}
    </>
  );
}

const root = document.getElementById("app")!;
signIn().then(
  (may) => {
    if (may) render(<App />, root);
  },
  (cause: Error) => {
    render(
      <main>
        <h1>Tidemark</h1>
        <p class="problem" role="alert">
          {cause.message}
        </p>
        <button onClick={() => begin()}>Sign in</button>
      </main>,
      root,
    );
  },
);
