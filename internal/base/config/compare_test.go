package config_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

func parse(t *testing.T, yaml string) *config.Config {
	t.Helper()
	c, err := configfile.Parse("tidemark.yaml", []byte(yaml), iot.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// compare returns a line for each change from before to after: class, path, values. It adds their reasons to
// reasons.
func compare(t *testing.T, before, after string, reasons map[string]bool) (lines []string) {
	t.Helper()
	changes, err := config.Compare(parse(t, before), parse(t, after))
	if err != nil {
		t.Fatalf("%s\nto\n%s\n%v", before, after, err)
	}
	for _, c := range changes {
		if c.Why == "" || c.Was == c.Is {
			t.Errorf("%+v: want a reason, and a difference", c)
		}
		reasons[c.Why] = true
		lines = append(lines, strings.Join([]string{string(c.Class), c.Path, c.Was, c.Is}, " | "))
	}
	return lines
}

const ship = "kinds:\n  POSITION:\n    subject: {name: SHIP}\n"

// of returns the kind of ships with one more line.
func of(line string) string { return ship + "    " + line + "\n" }

// flagged declares an index of profiles by the field flag.
func flagged(index string) string {
	return "kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {flag: {" + index + "}}}}}}"
}

// voyages returns the kind of ships with sessions of it.
func voyages(gap string) string {
	return ship + "  VOYAGE: {subject: {name: SHIP}, latest: none, tiers: {raw: 30d, hour: {retention: 90d, grace: 40m}}, sessionsOf: {kind: POSITION, by: crew, gap: " + gap + "}}\n"
}

// cruises returns ships with cruises of the given goals.
func cruises(goals string) string {
	return ship + "  CRUISE: {subject: {name: SHIP}, latest: none, " +
		"tiers: {raw: 30d, hour: {retention: 90d, grace: 40m}}, " +
		"sessionsOf: {kind: POSITION, by: crew, gap: 30m}, goals: {" + goals + "}}\n"
}

func TestCompare_ClassifiesEachChange(t *testing.T) {
	t.Parallel()
	reasons := map[string]bool{}
	raised := "tiers: {raw: 30d, hour: {retention: 180d, least: 90d}, day: 2y, month: forever}"
	for name, c := range map[string]struct{ before, after, want string }{
		"a type without kinds":   {"", "subjects: {CREW: {}}", "safe | subjects.CREW |  | declared"},
		"removed":                {"subjects: {CREW: {}}", "", "refused | subjects.CREW | declared | "},
		"with another path":      {"subjects: {CREW: {}}", "subjects: {CREW: {path: sailors}}", "safe | subjects.CREW.path | crews | sailors"},
		"that has kinds now":     {"subjects: {SHIP: {}}", ship, "safe | kinds.POSITION |  | declared"},
		"a new kind":             {"", ship, "safe | kinds.POSITION |  | declared"},
		"a removed kind":         {ship, "", "refused | kinds.POSITION | declared | "},
		"a grace":                {of("tiers: {raw: 30d, hour: {retention: 90d, grace: 1m}}"), of("tiers: {raw: 30d, hour: {retention: 90d, grace: 2m}}"), "refused | kinds.POSITION.tiers.hour.grace | 1m | 2m"},
		"a jitter":               {of("tiers: {raw: 30d, jitter: 1m, hour: 90d}"), of("tiers: {raw: 30d, jitter: 2m, hour: 90d}"), "refused | kinds.POSITION.tiers.jitter | 1m | 2m"},
		"a tick of late changes": {of("tiers: {raw: 30d, hour: 90d}"), of("tiers: {raw: 30d, lateEvery: 5m, hour: 90d}"), "refused | kinds.POSITION.tiers.lateEvery | 0s | 5m"},
		"a route":                {ship, of("path: fixes"), "safe | kinds.POSITION.path | positions | fixes"},
		"another subject":        {ship, "kinds: {POSITION: {subject: {name: BOAT, path: ships, field: shipId}}}", "refused | kinds.POSITION.subject.name | SHIP | BOAT"},
		"the subject's field":    {ship, "kinds: {POSITION: {subject: {name: SHIP, field: mmsi}}}", "safe | kinds.POSITION.subject.field | shipId | mmsi"},
		"a measure":              {ship, of("measures: {speed: {scale: 2}}"), "safe | kinds.POSITION.measures.speed |  | {scale: 2, percentiles: false}"},
		"a removed measure":      {of("measures: {speed: {scale: 2}}"), ship, "needs a rebuild | kinds.POSITION.measures.speed | {scale: 2, percentiles: false} | "},
		"a larger scale":         {of("measures: {speed: {scale: 2}}"), of("measures: {speed: {scale: 3}}"), "safe | kinds.POSITION.measures.speed.scale | 2 | 3"},
		"a smaller scale":        {of("measures: {speed: {scale: 2}}"), of("measures: {speed: {scale: 1}}"), "refused | kinds.POSITION.measures.speed.scale | 2 | 1"},
		"percentiles":            {of("measures: {speed: {}}"), of("measures: {speed: {percentiles: true}}"), "needs a rebuild | kinds.POSITION.measures.speed.percentiles | false | true"},
		"without percentiles":    {of("measures: {speed: {percentiles: true}}"), of("measures: {speed: {}}"), "safe | kinds.POSITION.measures.speed.percentiles | true | false"},
		"a counter": {of("measures: {speed: {}}"), of("measures: {speed: {type: counter}}"),
			"needs a rebuild | kinds.POSITION.measures.speed.type | gauge | counter"},
		"no counter any more": {of("measures: {speed: {type: counter, wrap: 32}}"), of("measures: {speed: {type: gauge}}"),
			"safe | kinds.POSITION.measures.speed.type | counter | gauge"},
		"another wrap-around": {of("measures: {speed: {type: counter}}"), of("measures: {speed: {type: counter, wrap: 32}}"),
			"refused | kinds.POSITION.measures.speed.wrap | 0 | 32"},
		"a mean over time": {of("measures: {speed: {}}"), of("measures: {speed: {mean: time}}"),
			"needs a rebuild | kinds.POSITION.measures.speed.mean | values | time"},
		"no mean over time": {of("measures: {speed: {mean: time}}"), of("measures: {speed: {}}"),
			"safe | kinds.POSITION.measures.speed.mean | time | values"},
		"a unit": {of("measures: {speed: {}}"), of("measures: {speed: {unit: kn}}"),
			"safe | kinds.POSITION.measures.speed.unit |  | kn"},
		"another unit": {of("measures: {speed: {unit: kn}}"), of("measures: {speed: {unit: m/s}}"),
			"safe | kinds.POSITION.measures.speed.unit | kn | m/s"},
		"a measure with a unit": {ship, of("measures: {speed: {scale: 2, unit: kn}}"),
			"safe | kinds.POSITION.measures.speed |  | {scale: 2, percentiles: false, unit: kn}"},
		"a new counter": {ship, of("measures: {odo: {type: counter, wrap: 32}}"),
			"safe | kinds.POSITION.measures.odo |  | {scale: 9, percentiles: false, type: counter, wrap: 32}"},
		"measures in other order":  {of("measures: {speed: {}, heading: {}}"), of("measures: {heading: {}, speed: {}}"), ""},
		"a dimension":              {ship, of("dimensions: {flag: {}}"), "needs a rebuild | kinds.POSITION.dimensions.flag |  | {top: 200}"},
		"a dimension's top":        {of("dimensions: {flag: {}}"), of("dimensions: {flag: {top: 10}}"), "needs a rebuild | kinds.POSITION.dimensions.flag.top | 200 | 10"},
		"a distinct count":         {ship, of("distinct: [flag]"), "needs a rebuild | kinds.POSITION.distinct.flag |  | declared"},
		"enrichment":               {ship, of("enrichment: [flag]"), "safe | kinds.POSITION.enrichment.flag |  | declared"},
		"an index of latest items": {ship, of("latestBy: {gsi1: {by: [flag], sort: [port]}}"), "safe | kinds.POSITION.latestBy |  | gsi1 by flag, sorted by port, half sparse"},
		"an index":                 {ship, of("indexBy: flag"), "safe | kinds.POSITION.indexBy |  | flag"},
		"the late policy":          {ship, of("late: drop"), "safe | kinds.POSITION.late | keep | drop"},
		"where ids come from":      {ship, of("ids: minted"), "safe | kinds.POSITION.ids | optional | minted"},
		"finer times":              {ship, of("finerTime: truncate"), "safe | kinds.POSITION.finerTime | reject | truncate"},
		"no latest items":          {ship, of("latest: none"), "safe | kinds.POSITION.latest | transaction | none"},
		"shards":                   {ship, of("shards: 4"), "refused | kinds.POSITION.shards | 1 | 4"},
		"sessions": {voyages("30m"), voyages("20m"), "refused | kinds.VOYAGE.sessionsOf | " +
			"of POSITION by crew, gap 30m0s, follow 24h0m0s, first [], last [] | of POSITION by crew, gap 20m0s, follow 24h0m0s, first [], last []"},
		"a goal": {cruises(""), cruises("long: {minDuration: 2h}"),
			"needs a rebuild | kinds.CRUISE.goals.long |  | " +
				`steps [], at least 2h0m0s, value ""`},
		"a removed goal": {cruises("long: {minDuration: 2h}"), cruises(""),
			"needs a rebuild | kinds.CRUISE.goals.long | " +
				`steps [], at least 2h0m0s, value "" | `},
		"another goal of a name": {cruises("long: {minDuration: 2h}"), cruises("long: {minDuration: 3h}"),
			"refused | kinds.CRUISE.goals.long | " +
				`steps [], at least 2h0m0s, value "" | steps [], at least 3h0m0s, value ""`},
		"groups": {ship, of("groups: [port]"), "safe | kinds.POSITION.groups.port |  | declared\n" +
			"safe | kinds.POSITION_BY_PORT |  | declared"},
		"removed groups": {of("groups: [port]"), ship, "safe | kinds.POSITION.groups.port | declared | \n" +
			"refused | kinds.POSITION_BY_PORT | declared | "},
		"a finer tier of groups": {
			of("groups: [port]"),
			of("groups: [port]\n    tiers: {raw: 30d, minute: 40d, hour: 90d, day: 2y, month: forever}"),
			"safe | kinds.POSITION.tiers.minute |  | 40d\nrefused | kinds.POSITION_BY_PORT.tiers | hour | minute\n" +
				"safe | kinds.POSITION_BY_PORT.tiers.raw | 794h | 793h\nsafe | kinds.POSITION_BY_PORT.tiers.minute |  | 40d",
		},
		"one shard is the default": {ship, of("shards: 1"), ""},
		"measures of a row":        {ship, of("maxMeasures: 20"), "needs a rebuild | kinds.POSITION.maxMeasures | 50 | 20"},

		"raw kept longer":           {ship, of("tiers: {raw: 60d, hour: 90d, day: 2y, month: forever}"), "safe | kinds.POSITION.tiers.raw | 30d | 60d"},
		"raw kept shorter":          {ship, of("tiers: {raw: 7d, hour: 90d, day: 2y, month: forever}"), "safe | kinds.POSITION.tiers.raw | 30d | 7d"},
		"a tier kept shorter":       {ship, of("tiers: {raw: 30d, hour: 60d, day: 2y, month: forever}"), "safe | kinds.POSITION.tiers.hour.retention | 90d | 60d"},
		"a tier kept longer":        {ship, of(raised), "safe | kinds.POSITION.tiers.hour.retention | 90d | 180d"},
		"without its least":         {ship, of("tiers: {raw: 30d, hour: 180d, day: 2y, month: forever}"), "safe | kinds.POSITION.tiers.hour.retention | 90d | 180d"},
		"forever, without least":    {ship, of("tiers: {raw: 30d, hour: 90d, day: forever, month: forever}"), "safe | kinds.POSITION.tiers.day.retention | 730d | forever"},
		"the least removed later":   {of(raised), of("tiers: {raw: 30d, hour: 180d, day: 2y, month: forever}"), ""},
		"a finer tier":              {ship, of("tiers: {raw: 30d, minute: {retention: 34d, from: 2027-01-01}, hour: 90d, day: 2y, month: forever}"), "safe | kinds.POSITION.tiers.minute |  | 34d"},
		"a finer tier without from": {ship, of("tiers: {raw: 30d, minute: 34d, hour: 90d, day: 2y, month: forever}"), "safe | kinds.POSITION.tiers.minute |  | 34d"},
		"a coarser tier":            {of("tiers: {raw: 30d, hour: 90d, day: 2y}"), ship, "needs a rebuild | kinds.POSITION.tiers.month |  | forever"},
		"the coarsest removed":      {ship, of("tiers: {raw: 30d, hour: 90d, day: 2y}"), "safe | kinds.POSITION.tiers.month | forever | "},
		"a tier between removed":    {ship, of("tiers: {raw: 30d, hour: 90d, month: forever}"), "refused | kinds.POSITION.tiers.day | 730d | "},
		"the default retention":     {ship, ship + "tiers: {raw: 31d, hour: 90d, day: 2y, month: forever}\n", "safe | kinds.POSITION.tiers.raw | 30d | 31d"},

		"a limit":             {"", "limits: {text: 8KiB}", "safe | limits.text | 4096 | 8192"},
		"the mapping":         {"", "mapping: {window: 60s}", "safe | mapping.window | 5s | 1m"},
		"a function":          {"", "functions: {ingest: {timeout: 20s}}", "safe | functions.ingest.timeout | 15s | 20s"},
		"quarantine":          {"", "quarantine: {retention: 60d}", "safe | quarantine.retention | 30d | 60d"},
		"a stage":             {"stages: {dev: {}}", "stages: {dev: {}, test: {}}", "safe | stages.test |  | declared"},
		"a removed stage":     {"stages: {dev: {}, test: {}}", "stages: {dev: {}}", "safe | stages.test | declared | "},
		"a stage's removal":   {"stages: {dev: {}}", "stages: {dev: {removal: destroy}}", "safe | stages.dev.removal | retain | destroy"},
		"a source of a stage": {"stages: {dev: {}}", "stages: {dev: {sources: {sqs: true}}}", "safe | stages.dev.sources.sqs | false | true"},

		"a further field of an index": {flagged("shards: 2"), flagged("and: [port]"),
			"safe | kinds.POSITION.subject.profile.indexes.flag.and |  | port"},
		"the order of an index": {flagged("sort: [name, tons]"),
			flagged("sort: [name, tons], types: {tons: number}"),
			"safe | kinds.POSITION.subject.profile.indexes.flag.sort | name, tons | name, tons: number"},

		"a field that orders events": {of("tiers: {raw: 30d}"), of("orderBy: {field: lap, type: number}\n    tiers: {raw: 30d}"), "refused | kinds.POSITION.orderBy |  | lap number"},
		"undeclared fields": {ship, of("undeclared: drop"),
			"safe | kinds.POSITION.undeclared | keep | drop"},
		"another field": {ship, of("otherFields: [note]"),
			"safe | kinds.POSITION.otherFields.note |  | declared"},
		"another field less": {of("otherFields: [note]"), ship,
			"safe | kinds.POSITION.otherFields.note | declared | "},
		"details of values": {of("dimensions: {port: {top: 9}}"), of("dimensions: {port: {top: 9, detail: 900}}"),
			"needs a rebuild | kinds.POSITION.dimensions.port.detail | 0 | 900"},
		"another pair": {of("dimensions: {way: {of: [flag, port]}}"), of("dimensions: {way: {of: [flag, ship]}}"),
			"refused | kinds.POSITION.dimensions.way.of | [flag port] | [flag ship]"},
		"collisions":                        {ship, of("onCollision: merge"), "safe | kinds.POSITION.onCollision | report | merge"},
		"enrichment removed":                {of("enrichment: [flag]"), ship, "safe | kinds.POSITION.enrichment.flag | declared | "},
		"a deferred tier":                   {of("tiers: {raw: 30d, hour: {retention: 90d, mode: immediate}}"), of("tiers: {raw: 30d, hour: {retention: 90d}}"), "safe | kinds.POSITION.tiers.hour.mode | immediate | deferred"},
		"an immediate tier":                 {of("tiers: {raw: 30d, hour: {retention: 90d}}"), of("tiers: {raw: 30d, hour: {retention: 90d, mode: immediate}}"), "safe | kinds.POSITION.tiers.hour.mode | deferred | immediate"},
		"a grace that is not used":          {of("tiers: {raw: 30d, hour: {retention: 90d, mode: immediate}}"), of("tiers: {raw: 30d, hour: {retention: 90d, mode: immediate, grace: 2m}}"), "safe | kinds.POSITION.tiers.hour.grace | 0s | 2m"},
		"from":                              {of("tiers: {raw: 30d, hour: {retention: 90d, from: 2027-01-01}, day: 2y}"), of("tiers: {raw: 30d, hour: {retention: 90d, from: 2027-01-02}, day: 2y}"), "safe | kinds.POSITION.tiers.hour.from | 2027-01-01T00:00:00.000Z | 2027-01-02T00:00:00.000Z"},
		"a field of profiles":               {"kinds: {POSITION: {subject: {name: SHIP, profile: {}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {fields: {flag: {}}}}}}", "safe | kinds.POSITION.subject.profile.fields.flag |  | declared"},
		"a removed field of profiles":       {"kinds: {POSITION: {subject: {name: SHIP, profile: {fields: {flag: {}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {}}}}", "safe | kinds.POSITION.subject.profile.fields.flag | declared | "},
		"values of a field":                 {"kinds: {POSITION: {subject: {name: SHIP, profile: {fields: {flag: {}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {fields: {flag: {values: [DK]}}}}}}", "safe | kinds.POSITION.subject.profile.fields.flag.values |  | DK"},
		"a default of a field":              {"kinds: {POSITION: {subject: {name: SHIP, profile: {fields: {flag: {}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {fields: {flag: {default: DK}}}}}}", "safe | kinds.POSITION.subject.profile.fields.flag.default |  | DK"},
		"an index of profiles":              {"kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {flag: {index: gsi1}}}}}}", "safe | kinds.POSITION.subject.profile.indexes.flag |  | declared"},
		"a removed index of profiles":       {"kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {flag: {index: gsi1}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {}}}}}", "safe | kinds.POSITION.subject.profile.indexes.flag | declared | "},
		"another index of profiles":         {"kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {flag: {index: gsi1}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {flag: {index: gsi2}}}}}}", "safe | kinds.POSITION.subject.profile.indexes.flag.index | gsi1 | gsi2"},
		"shards of an index":                {"kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {flag: {index: gsi1}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {indexes: {flag: {index: gsi1, shards: 2}}}}}}", "refused | kinds.POSITION.subject.profile.indexes.flag.shards | 1 | 2"},
		"a unique value":                    {"kinds: {POSITION: {subject: {name: SHIP, profile: {}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {unique: {sign: {fields: [sign]}}}}}}", "safe | kinds.POSITION.subject.profile.unique.sign |  | of sign"},
		"a removed unique value":            {"kinds: {POSITION: {subject: {name: SHIP, profile: {unique: {sign: {fields: [sign]}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {}}}}", "safe | kinds.POSITION.subject.profile.unique.sign | of sign | "},
		"case of a unique value":            {"kinds: {POSITION: {subject: {name: SHIP, profile: {unique: {sign: {fields: [sign]}}}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {unique: {sign: {fields: [sign], case: fold}}}}}}", "refused | kinds.POSITION.subject.profile.unique.sign.case | exact | fold"},
		"unique values of deleted subjects": {"kinds: {POSITION: {subject: {name: SHIP, profile: {}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {release: reserve}}}}", "safe | kinds.POSITION.subject.profile.release | free | reserve"},
		"versions of profiles":              {"kinds: {POSITION: {subject: {name: SHIP, profile: {}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {versions: {keep: true, for: 1y}}}}}", "safe | kinds.POSITION.subject.profile.versions |  | {keep: true, for: 365d}"},
		"deleted subjects":                  {"kinds: {POSITION: {subject: {name: SHIP, profile: {}}}}", "kinds: {POSITION: {subject: {name: SHIP, profile: {deletedFor: 60d}}}}", "safe | kinds.POSITION.subject.profile.deletedFor | forever | 60d"},
		"access":                            {"stages: {dev: {}}", "stages: {dev: {access: {issuer: 'https://login.example', audience: [ships]}}}", "safe | stages.dev.access |  | {issuer: https://login.example, audience: [ships]}"},
		"a customer key":                    {"stages: {dev: {}}", "stages: {dev: {customerKey: true}}", "safe | stages.dev.customerKey | false | true"},
		"topics of devices":                 {"stages: {dev: {}}", "stages: {dev: {sources: {topic: fleet}}}", "safe | stages.dev.sources.topic |  | fleet"},
		"a data stream":                     {"stages: {dev: {}}", "stages: {dev: {sources: {kinesis: true}}}", "safe | stages.dev.sources.kinesis | false | true"},
		"batches of AWS IoT":                {"stages: {dev: {}}", "stages: {dev: {sources: {batched: true}}}", "safe | stages.dev.sources.batched | false | true"},
		"things":                            {"stages: {dev: {}}", "stages: {dev: {sources: {things: [SHIP]}}}", "safe | stages.dev.sources.things | [DEVICE] | [SHIP]"},

		"nothing":              {ship, ship, ""},
		"defaults written out": {"", "limits: {body: 1MiB}\nmapping: {batchSize: 1000}", ""},
	} {
		got := strings.Join(compare(t, c.before, c.after, reasons), "\n")
		// A kind with the default retention policy has the same changes.
		if name == "the default retention" {
			got = strings.Join(slices.DeleteFunc(strings.Split(got, "\n"), func(l string) bool {
				return !strings.Contains(l, "POSITION")
			}), "\n")
		}
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
	for name, why := range config.Reasons() {
		if !reasons[why] {
			t.Errorf("no change of this test is ruled by %s", name)
		}
	}
}

func TestCompare_HasARuleForEveryFieldOfAKind(t *testing.T) {
	t.Parallel()
	for i := range reflect.TypeFor[catalog.Kind]().NumField() {
		f := reflect.TypeFor[catalog.Kind]().Field(i)
		if f.IsExported() && !slices.Contains(config.FieldsWithARule(), f.Name) {
			t.Errorf("catalog.Kind.%s: no rule says what a change of it means", f.Name)
		}
	}
}

func TestCompare_OfConstraintsAndIndexesOfProfiles(t *testing.T) {
	t.Parallel()
	with := func(p catalog.Profile) *config.Config {
		return config.Default(
			catalog.Kind{Name: "POSITION", Subject: catalog.SubjectType{Name: "SHIP", Profile: &p}})
	}
	flag := catalog.Profile{Unique: []catalog.Unique{{Name: "callsign", Fields: []string{"callsign"}}},
		Indexes: []catalog.ProfileIndex{{Field: "port", Shards: 2}}}
	changed := flag
	changed.Unique = []catalog.Unique{{Name: "callsign", Fields: []string{"callsign", "flag"}}}
	changed.Indexes = []catalog.ProfileIndex{{Field: "port", Shards: 4}}
	for name, c := range map[string]struct {
		before, after catalog.Profile
		want          []config.Class
	}{
		"both new":          {catalog.Profile{}, flag, []config.Class{config.Safe, config.Safe}},
		"both removed":      {flag, catalog.Profile{}, []config.Class{config.Safe, config.Safe}},
		"shards and fields": {flag, changed, []config.Class{config.Refused, config.Refused}},
		"the same":          {flag, flag, nil},
	} {
		changes, err := config.Compare(with(c.before), with(c.after))
		if err != nil {
			t.Fatal(err)
		}
		var got []config.Class
		for _, change := range changes {
			got = append(got, change.Class)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, changes, c.want)
		}
	}
}

func TestChange_IsOneLine(t *testing.T) {
	t.Parallel()
	got := config.Change{Path: "kinds.READING.measures.co2", Is: "{scale: 1, percentiles: false}",
		Class: config.Safe, Why: "because"}.String()
	if want := "safe: kinds.READING.measures.co2: none to {scale: 1, percentiles: false}: because"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
