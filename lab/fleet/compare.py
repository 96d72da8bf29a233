# Prints as JSON how many buckets and lists of members of groups are equal to what the readings say.
import json
import sys

import duckdb

folder = sys.argv[1]
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
db.execute(f"""
CREATE TABLE readings AS SELECT deviceId AS device, timestamp AS observed, site, line, model,
    round(temperature * 10)::BIGINT AS tenths
FROM read_json('{folder}/readings.ndjson', format = 'newline_delimited', columns = {{
    deviceId: 'VARCHAR', timestamp: 'TIMESTAMPTZ', site: 'VARCHAR', line: 'VARCHAR', model: 'VARCHAR',
    temperature: 'DOUBLE'}});
CREATE TABLE rows AS SELECT * FROM read_csv('{folder}/rows.csv', header = true, types = {{
    name: 'VARCHAR', bucket: 'TIMESTAMPTZ', total: 'DECIMAL(18,1)', low: 'DECIMAL(18,1)', high: 'DECIMAL(18,1)'}});
CREATE TABLE members AS SELECT * FROM read_csv('{folder}/members.csv', header = true, types = {{
    name: 'VARCHAR', bucket: 'TIMESTAMPTZ', member: 'VARCHAR'}});
CREATE VIEW grouped AS
    SELECT *, unnest([{{kind: 'READING_BY_SITE', name: site}}, {{kind: 'READING_BY_SITE_LINE', name: site || '/' || line}},
        {{kind: 'READING_BY_MODEL', name: model}}], recursive := true) FROM readings;
CREATE VIEW counted AS
    SELECT *, unnest(['hour', 'day']) AS tier, date_trunc(unnest(['hour', 'day']), observed) AS bucket FROM grouped;
""")

buckets = db.execute("""
WITH wanted AS (SELECT kind, name, tier, bucket, count(*) AS n, sum(tenths) AS total, min(tenths) AS low,
    max(tenths) AS high FROM counted GROUP BY ALL)
SELECT coalesce(w.kind, r.kind) || ' ' || coalesce(w.name, r.name) || ' ' || coalesce(w.tier, r.tier) || ' '
        || coalesce(w.bucket, r.bucket)::VARCHAR AS bucket,
    coalesce(w.n = r.n AND w.total = r.total * 10 AND w.low = r.low * 10 AND w.high = r.high * 10, false) AS equal,
    coalesce(r.exact, false) AS exact, w.n AS wanted, r.n AS stored
FROM wanted w FULL JOIN rows r USING (kind, name, tier, bucket) ORDER BY ALL
""").fetchall()

# The first ten by each ranking; ties by id. Sums of tenths are whole, so that equal means are equal numbers.
rankings = {
    "highest max": "max(tenths) DESC", "lowest min": "min(tenths)", "highest sum": "sum(tenths) DESC",
    "lowest sum": "sum(tenths)", "highest mean": "sum(tenths) / count(*) DESC",
    "lowest mean": "sum(tenths) / count(*)", "highest count": "count(*) DESC", "lowest count": "count(*)",
}
ranked = " UNION ALL ".join(f"""
    SELECT kind, name, tier, bucket, '{ranking}' AS ranking, device AS member,
        row_number() OVER (PARTITION BY kind, name, tier, bucket ORDER BY {order}, device) AS place
    FROM counted {"WHERE tier = 'hour'" if i > 1 else ""} GROUP BY kind, name, tier, bucket, device"""
    for i, (ranking, order) in enumerate(rankings.items()))
lists = db.execute(f"""
WITH wanted AS (SELECT kind, name, tier, bucket, ranking, list(member ORDER BY place) AS members
    FROM ({ranked}) WHERE place <= 10 GROUP BY ALL),
stored AS (SELECT kind, name, tier, bucket, ranking, list(member ORDER BY place) AS members FROM members GROUP BY ALL)
SELECT coalesce(w.kind, s.kind) || ' ' || coalesce(w.name, s.name) || ' ' || coalesce(w.tier, s.tier) || ' '
        || coalesce(w.bucket, s.bucket)::VARCHAR || ' ' || coalesce(w.ranking, s.ranking),
    coalesce(w.members = s.members, false) FROM wanted w FULL JOIN stored s USING (kind, name, tier, bucket, ranking)
ORDER BY ALL
""").fetchall()

readings, moved = db.execute("""
SELECT sum(n)::BIGINT, count(*) FILTER (sites > 1)
FROM (SELECT device, count(*) AS n, count(DISTINCT site) AS sites FROM readings GROUP BY device)
""").fetchone()
print(json.dumps({
    "readings": readings, "moved": moved,
    "buckets": len(buckets), "exact": sum(b[2] for b in buckets), "lists": len(lists),
    "wrong": [f"{b[0]}: {b[3]} readings, stored {b[4]}" for b in buckets if not b[1]]
        + [l[0] for l in lists if not l[1]],
}))
