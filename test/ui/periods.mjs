// Checks the periods of a site's page in the time zone of TZ, twice a day and at each midnight over two years. The argument is
// the module.
import assert from "node:assert/strict"
const {periodOf, periodNames} = await import(process.argv[2])

const hour = 3600e3
const startsADay = (t, utc) => utc ? t % (24 * hour) === 0 : new Date(t).getDate() !== new Date(t - 1).getDate()
const counts = {realtime: 30, "7d": 7, "30d": 30, "12m": 12}

const times = []
for (let t = Date.UTC(2025, 0, 1, 3, 7); t < Date.UTC(2027, 0, 1); t += 11.3 * hour) {
  times.push(t, new Date(t).setHours(0, 0, 0, 0), new Date(t).setUTCHours(0, 0, 0, 0))
}
for (const now of times) {
  for (const utc of [true, false]) {
    for (const {name} of periodNames) {
      const p = periodOf(name, now, utc), end = p.range.to ?? now + 1, at = `${name} at ${new Date(now).toISOString()}, utc ${utc}`
      assert.ok(p.range.from < end && end <= now + 1, `${at}: a period has passed in part`)
      assert.ok(p.before.from < p.before.to && p.before.to <= end, `${at}: the period before is earlier`)
      assert.equal(p.buckets[0], p.range.from, `${at}: buckets begin with the period`)
      assert.ok(p.buckets.every((b, i) => !i || b > p.buckets[i - 1]), `${at}: buckets follow each other`)
      assert.ok(p.buckets.at(-1) < end || name === "today", `${at}: only today has hours to come`)
      if (name !== "realtime" && !p.range.to) assert.ok(p.buckets.some((b) => b <= now) && p.endBefore > p.before.from, `${at}: the day that begins now has begun`)
      if (counts[name]) assert.equal(p.buckets.length, counts[name], `${at}: number of buckets`)
      if (counts[name]) assert.equal(p.bucketsBefore.length, counts[name], `${at}: number of buckets before`)
      if (name !== "realtime") assert.ok(startsADay(p.range.from, utc) && startsADay(p.before.from, utc), `${at}: begins with a day`)
      if (p.unit === "day" || p.unit === "month") assert.ok([...p.buckets, ...p.bucketsBefore].every((b) => startsADay(b, utc)), `${at}: each bucket begins with a day`)
    }
  }
}
