// The frame of the pages. The part of the address after # selects the page, so that every page is
// one static file: #/devices, #/devices/sensor_01?kind=READING.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Fleet } from "./fleet";
import { Notice, href } from "./parts";
import { SitePage, siteKinds } from "./site";
import { SubjectPage } from "./subject";
import { localZone } from "./time";
import { kindsOf, usePolled, type API } from "./api";

interface Place { parts: string[]; params: URLSearchParams }

function place(): Place {
  const [path, query] = location.hash.replace(/^#\//, "").split("?");
  try {
    return { parts: path.split("/").filter(Boolean).map(decodeURIComponent), params: new URLSearchParams(query) };
  } catch {
    return { parts: [], params: new URLSearchParams() }; // the address has an incomplete escape
  }
}

function App() {
  const [at, setAt] = useState(place);
  const [utc, setUTC] = useState(localZone === "UTC");
  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const { data: api, problem } = usePolled<API>("/openapi.json", 60_000);
  const kinds = api ? kindsOf(api) : [];
  const types = [...new Set(kinds.map((k) => k.subjects))];
  const [subjects = types[0], id] = at.parts;
  const site = siteKinds(kinds, subjects);
  useEffect(() => { document.title = [id, subjects, "Tidemark"].filter(Boolean).join(" · "); }, [id, subjects]);
  return (
    <>
      <header>
        <a class="brand" href="#/">Tidemark</a>
        <nav aria-label="Types of subject">
          {types.map((t) => <a class="choice" aria-current={t === subjects ? "page" : undefined} href={href([t])}>{t}</a>)}
        </nav>
        <label class="zone"><input type="checkbox" checked={utc} onChange={(e) => setUTC(e.currentTarget.checked)} /> UTC <span>{!utc && `(now ${localZone})`}</span></label>
      </header>
      {!api && <main><Notice problem={problem} waiting /></main>}
      {api && !types.includes(subjects) && <main><p class="empty">There is no page “{subjects}”. <a href="#/">Show {types[0]}</a></p></main>}
      {api && types.includes(subjects) && (id === undefined
        ? <Fleet key={subjects} subjects={subjects} kinds={kinds} utc={utc} />
        : site && !at.params.has("kind")
          ? <SitePage key={subjects + "/" + id} subjects={subjects} id={id} params={at.params} kinds={site} utc={utc} />
          : <SubjectPage key={subjects + "/" + id} subjects={subjects} id={id} params={at.params} kinds={kinds} utc={utc} site={!!site} />)}
    </>
  );
}

render(<App />, document.getElementById("app")!);
