// The frame of the pages. The part of the address after # selects the page, so that every page is
// one static file: #/devices, #/devices/sensor_01?kind=READING. The pages of the service are below #/-/.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { render, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { BreakPage } from "./break";
import { Fleet } from "./fleet";
import { HealthPage } from "./health";
import { Notice, href } from "./parts";
import { SitePage, siteKinds } from "./site";
import { SubjectPage } from "./subject";
import { TiersPage } from "./tiers";
import { localZone, timeText } from "./time";
import { begin, home, ownMachine, shared, signIn, tokenIn } from "./access";
import { follow, kindsOf, request, typesOf, usePolled, type API, type Readable } from "./api";

/** The pages of the service itself. */
const service = "-";
interface Service { api: API; kinds: Readable[]; utc: boolean; local: boolean }
const pages: { name: string; title: string; local?: boolean; page: (s: Service) => ComponentChildren }[] = [
  { name: "tiers", title: "Tiers", page: (s) => <TiersPage {...s} /> },
  { name: "health", title: "Health", page: (s) => <HealthPage {...s} /> },
  { name: "break", title: "Break it", local: true, page: (s) => <BreakPage {...s} /> },
];

interface Place { parts: string[]; params: URLSearchParams }

function place(): Place {
  const [path, query] = (location.hash.startsWith(home) ? location.hash.slice(home.length) : "").split("?");
  try {
    const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
    return { parts: shared && !parts.length ? [shared.subjects, shared.id] : parts, params: new URLSearchParams(query) };
  } catch {
    return { parts: [], params: new URLSearchParams() }; // the address has an incomplete escape
  }
}

function App() {
  const [at, setAt] = useState(place);
  const [utc, setUTC] = useState(localZone === "UTC");
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
    if (ownMachine) request("/local/status").then(({ body }) => { if ("stats" in (body as object)) { setLocal(true); follow(); } }, () => {});
  }, []);
  const own = subjects === service && !shared ? pages.find((p) => p.name === id) : undefined;
  useEffect(() => { document.title = [own?.title ?? id, !own && subjects, "Tidemark"].filter(Boolean).join(" · "); }, [id, subjects]);
  const known = types.includes(subjects), site = siteKinds(kinds, subjects);
  return (
    <>
      <header>
        <a class="brand" href={home}>Tidemark</a>
        {shared ? <span class="soft">Shared with you{shared.until > 0 && ` until ${timeText(new Date(shared.until).toISOString(), utc)}`}</span> : <>
          <nav aria-label="Types of subject">
            {types.map((t) => <a class="choice" aria-current={t === subjects ? "page" : undefined} href={href([t])}>{t}</a>)}
          </nav>
          <nav aria-label="Service" class="end">
            {pages.filter((p) => !p.local || local).map((p) => <a class="choice" aria-current={p === own ? "page" : undefined} href={href([service, p.name])}>{p.title}</a>)}
          </nav>
        </>}
        <label class="zone"><input type="checkbox" checked={utc} onChange={(e) => setUTC(e.currentTarget.checked)} /> UTC <span>{!utc && `(now ${localZone})`}</span></label>
      </header>
      {!api && <main><Notice problem={problem} waiting /></main>}
      {api && own && own.page({ api, kinds, utc, local })}
      {api && !own && !known && <main><p class="empty">There is no page “{[subjects, id].filter(Boolean).join("/")}”. <a href={home}>Show {shared?.id ?? types[0]}</a></p></main>}
      {api && known && (id === undefined
        ? <Fleet key={subjects} subjects={subjects} kinds={kinds} utc={utc} />
        : site && !at.params.has("kind")
          ? <SitePage key={subjects + "/" + id} subjects={subjects} id={id} params={at.params} kinds={site} utc={utc} />
          : <SubjectPage key={subjects + "/" + id} subjects={subjects} id={id} params={at.params} kinds={kinds} utc={utc} site={!!site} />)}
    </>
  );
}

const root = document.getElementById("app")!;
signIn().then((may) => { if (may) render(<App />, root); }, (cause: Error) => {
  render(<main><h1>Tidemark</h1><p class="problem" role="alert">{cause.message}</p><button onClick={() => begin()}>Sign in</button></main>, root);
});
