// The page of tiers: what is kept of each kind, for how long, and how much that is.
import { Notice } from "./parts";
import { countText, dayText, durationText, moneyText } from "./time";
import { raw, type Readable, type Series, type Tier } from "./api";
import { currentTime } from "./clock";
import { useSubjects, type Listed } from "./subjects";

const seconds: Record<string, number> = {
  minute: 60,
  hour: 3600,
  day: 86400,
  week: 7 * 86400,
  "week-sunday": 7 * 86400,
  month: 30.44 * 86400,
  quarter: 91.3 * 86400,
  year: 365.25 * 86400,
};
const names: Record<string, string> = { [raw]: "Events", "week-sunday": "week from Sunday" };

const fiveMinutes = 300e3;

// The price of storage and backup that tidemark cost uses, and about the size of a row with three measures.
const dollarsPerGB = 0.45,
  rowBytes = 1000;

export function TiersPage({ kinds, utc }: { kinds: Readable[]; utc: boolean }) {
  const types = [...new Set(kinds.map((k) => k.subjects))];
  return (
    <main>
      <h1 tabIndex={-1}>Tiers</h1>
      <p class="note lead">
        Each tier summarises the one above it. An event or a row is kept as long as its tier says, counted
        from when it was written, and its expiry never changes a coarser row. The number of rows is estimated:
        one for each bucket from the first to the last event of a series.
      </p>
      {types.map((t) => (
        <Type key={t} subjects={t} kinds={kinds.filter((k) => k.subjects === t)} utc={utc} />
      ))}
    </main>
  );
}

/** Type shows the kinds of a type of subject; kinds with the same tiers share a table. */
function Type({ subjects, kinds, utc }: { subjects: string; kinds: Readable[]; utc: boolean }) {
  const listed = useSubjects(subjects, fiveMinutes);
  const groups = [...Map.groupBy(kinds, (k) => JSON.stringify(k.tiers)).values()];
  return (
    <>
      <h2 class="type">
        {subjects}{" "}
        <span class="soft">
          {listed.whole &&
            (listed.subjects.length
              ? `${countText(listed.subjects.length)} in the table${listed.more ? ", and more" : ""}`
              : "none yet")}
        </span>
      </h2>
      <Notice problem={listed.problem} waiting={!listed.whole} />
      {groups.map((g) => (
        <Group key={g[0].kind} kinds={g} listed={listed} utc={utc} />
      ))}
    </>
  );
}

function Group({ kinds, listed, utc }: { kinds: Readable[]; listed: Listed; utc: boolean }) {
  const of = new Set(kinds.map((k) => k.kind)),
    series = listed.subjects.flatMap((s) => s.series.filter((x) => of.has(x.kind)));
  const now = currentTime(),
    first = Math.min(...series.map((s) => Date.parse(s.firstSeen)));
  const rowsIn = (t: Tier) => series.reduce((n, s) => n + rowsOf(s, t, now), 0);
  const dollars = ((kinds[0].tiers.reduce((n, t) => n + rowsIn(t), 0) * rowBytes) / 1e9) * dollarsPerGB;
  return (
    <section>
      <h3>
        {kinds.map((k) => k.path).join(", ")}{" "}
        <span class="soft">{listed.whole && `${countText(series.length)} series`}</span>
      </h3>
      <div
        class="wide"
        tabIndex={0}
        role="region"
        aria-label={`Tiers of ${kinds.map((k) => k.path).join(", ")}`}
      >
        <table class="tiers">
          <thead>
            <tr>
              <th scope="col">Tier</th>
              <th scope="col">Kept for</th>
              <th scope="col">Complete from</th>
              <th scope="col" class="number">
                Rows, about
              </th>
              <th scope="col">Written</th>
            </tr>
          </thead>
          <tbody>
            {kinds[0].tiers.map((t) => {
              const from = Math.max(first, t.retention === null ? 0 : now - t.retention * 1000);
              return (
                <tr key={t.tier}>
                  <th scope="row">{names[t.tier] ?? t.tier}</th>
                  <td>
                    <span class="kept">
                      <span
                        class={"span" + (t.retention === null ? " ever" : "")}
                        style={{ width: `${reach(t)}%` }}
                      />
                      <span>{keptText(t)}</span>
                    </span>
                  </td>
                  <td>{listed.whole && series.length ? dayText(from, utc) : "–"}</td>
                  <td class="number">{t.tier === raw ? "" : countText(listed.whole ? rowsIn(t) : null)}</td>
                  <td>{writtenText(t)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {listed.whole && series.length > 0 && (
        <p class="facts">
          Storing these rows costs {moneyText(dollars)} a month, at {countText(rowBytes)} bytes a row and $
          {dollarsPerGB} a GB with backup. <code>tidemark cost</code> adds events and writes.
        </p>
      )}
    </section>
  );
}

const longest = 10 * 365 * 86400;

/**
 * reach returns how much of the scale a retention takes, in per cent: a logarithm of days, up to ten
 * years.
 */
const reach = ({ retention }: Tier) =>
  retention === null
    ? 100
    : 100 * Math.min(1, Math.log(1 + retention / 86400) / Math.log(1 + longest / 86400));

/**
 * rowsOf returns how many buckets a series has that are not older than the retention of a tier.
 * Imported history may have more rows: it is kept from its import on.
 */
function rowsOf(s: Series, t: Tier, now: number): number {
  const unit = seconds[t.tier] * 1000;
  if (!unit) return 0;
  const from = Math.max(Date.parse(s.firstSeen), t.retention === null ? 0 : now - t.retention * 1000),
    to = Math.min(Date.parse(s.lastSeen) + 3600e3, now);
  return to < from ? 0 : Math.ceil((to - from) / unit);
}

function keptText({ retention }: Tier): string {
  if (retention === null) return "for ever";
  const days = retention / 86400;
  return days >= 365 && days % 365 === 0
    ? days === 365
      ? "1 year"
      : `${days / 365} years`
    : days >= 1
      ? `${Math.round(days)} days`
      : durationText(retention);
}

function writtenText({ tier, deferred, grace }: Tier): string {
  if (tier === raw) return "as they arrive";
  if (!deferred) return "with each change";
  return grace ? `${durationText(grace)} after its ${tier} ends` : `when its ${tier} ends`;
}
