package configfile_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func parse(t *testing.T, yaml string) *config.Config {
	t.Helper()
	c, err := configfile.Parse("tidemark.yaml", []byte(yaml), iot.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func kind(t *testing.T, c *config.Config, name string) *catalog.Kind {
	t.Helper()
	cat, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	k, ok := cat.Kind(name)
	if !ok {
		t.Fatalf("no kind %s", name)
	}
	return k
}

var withoutSpec = cmpopts.IgnoreUnexported(catalog.Kind{})

func TestKinds_ARowOverridesOnlyWhatItNames(t *testing.T) {
	got := parse(t, "kinds: {READING: {late: drop, enrichment: [accountId]}}").Kinds
	want := iot.Kinds()
	want[0].Late = catalog.DropLate
	want[0].Enrichment = []string{"accountId"}
	if diff := cmp.Diff(want, got, withoutSpec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if iot.Readings.Late != catalog.KeepLate || iot.Readings.Enrichment != nil {
		t.Error("the domain's own row was changed")
	}
}

func TestKinds_AMappingReplacesTheBuiltInOne(t *testing.T) {
	got := parse(t, "kinds: {READING: {measures: {co2: {scale: 2}, temperature: }}}").Kinds[0].Measures
	want := []rollup.MeasureSpec{{Name: "co2", Scale: 2}, {Name: "temperature", Scale: rollup.DefaultScale}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKinds_ANewRowAddsAKind(t *testing.T) {
	c := parse(t, `
kinds:
  VIBRATION:
    path: vibrations
    subject: {name: MACHINE, path: machines, field: machineId}
    measures: {amplitude: {scale: 6, percentiles: true}, turns: {type: counter, wrap: 32, mean: time}}
    dimensions: {axis: {top: 3}, mount: }
    distinct: [operator]
    late: drop
    ids: minted
    finerTime: truncate
    latest: transaction
    onCollision: merge
    undeclared: drop
    otherFields: [room]
    shards: 4
    maxMeasures: 7
    tiers: {raw: 4d, minute: 8d, hour: 40d, month: forever}
`)
	want := catalog.Kind{
		Name: "VIBRATION", Path: "vibrations",
		Subject: catalog.SubjectType{Name: "MACHINE", Path: "machines", Field: "machineId"},
		Measures: []rollup.MeasureSpec{{Name: "amplitude", Scale: 6, Percentiles: true},
			{Name: "turns", Scale: rollup.DefaultScale, Counter: true, Wrap: 32, TimeMean: true}},
		Dimensions: []rollup.DimensionSpec{{Name: "axis", Top: 3}, {Name: "mount", Top: rollup.DefaultTop}},
		Distinct:   []string{"operator"},
		Late:       catalog.DropLate, IDs: catalog.MintedID, FinerTime: model.TruncateFinerTime,
		Undeclared: catalog.DropUndeclared, OtherFields: []string{"room"},
		OnCollision: catalog.MergeCollision, Shards: 4, MaxMeasures: 7,
		Latest: catalog.TransactionLatest,
		Retention: tier.Policy{Raw: 4 * tier.Day24, Tiers: []tier.Tier{
			{Unit: tier.Minute, Retention: 8 * tier.Day24}, {Unit: tier.Hour, Retention: 40 * tier.Day24}, {Unit: tier.Month, Retention: tier.Forever},
		}}.Defer(),
	}
	if diff := cmp.Diff(want, *kind(t, c, "VIBRATION"), withoutSpec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(c.Kinds) != 2 || c.Kinds[0].Name != "READING" {
		t.Errorf("got %d kinds, want READING first and VIBRATION", len(c.Kinds))
	}
}

func TestKinds_AKindOfSessions(t *testing.T) {
	c := parse(t, `
kinds:
  TRIP:
    subject: {name: DEVICE}
    latest: none
    tiers: {raw: 30d, hour: {retention: 90d, grace: 20m}, month: {retention: forever, grace: 20m}}
    sessionsOf: {kind: READING, by: driver, gap: 15m, first: {from: place}, last: {to: place, fuel: tank}}
`)
	want := &catalog.Sessions{
		Of: "READING", By: "driver", Gap: 15 * time.Minute, Follow: tier.Day24,
		First: []catalog.SessionField{{Name: "from", Of: "place"}},
		Last:  []catalog.SessionField{{Name: "to", Of: "place"}, {Name: "fuel", Of: "tank"}},
	}
	i := slices.IndexFunc(c.Kinds, func(k catalog.Kind) bool { return k.Name == "TRIP" })
	if diff := cmp.Diff(want, c.Kinds[i].Sessions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKinds_LatestIsTransactionDerivedOrNone(t *testing.T) {
	for text, want := range map[string]catalog.LatestPolicy{
		"latest: transaction": catalog.TransactionLatest, "latest: derived": catalog.DerivedLatest, "latest: none": catalog.NoLatest,
	} {
		if got := kind(t, parse(t, "kinds: {READING: {"+text+"}}"), "READING").Latest; got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestRetention_OfTheFileIsTheDefaultOfKinds(t *testing.T) {
	c := parse(t, `
tiers: {month: forever, raw: 60d, day: 3y, hour: 180d}   # in any order
kinds:
  VIBRATION: {subject: {name: DEVICE}, tiers: {raw: forever, day: forever}}
`)
	want := tier.Policy{Raw: 60 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 180 * tier.Day24}, {Unit: tier.Day, Retention: 3 * 365 * tier.Day24}, {Unit: tier.Month, Retention: tier.Forever},
	}}.Defer()
	if diff := cmp.Diff(want, kind(t, c, "READING").Retention); diff != "" {
		t.Errorf("READING (-want +got):\n%s", diff)
	}
	own := tier.Policy{Raw: tier.Forever,
		Tiers: []tier.Tier{{Unit: tier.Day, Retention: tier.Forever, Deferred: true}}}
	if diff := cmp.Diff(own, kind(t, c, "VIBRATION").Retention); diff != "" {
		t.Errorf("VIBRATION (-want +got):\n%s", diff)
	}
}

func TestRetention_WithoutTiersKeepsEventsOnly(t *testing.T) {
	c := parse(t, "kinds: {VIBRATION: {subject: {name: DEVICE}, tiers: {raw: forever}}}")
	if diff := cmp.Diff(tier.Policy{Raw: tier.Forever}, kind(t, c, "VIBRATION").Retention); diff != "" {
		t.Errorf("VIBRATION (-want +got):\n%s", diff)
	}
}

func TestRetention_ATierMayBeAMapping(t *testing.T) {
	for _, from := range []string{"2027-01-01", "2027-01-01T00:00:00Z", "2027-01-01T02:00:00+02:00"} {
		c := parse(t, "tiers: {raw: 30d, hour: {retention: 180d, least: 90d, from: "+from+"}, day: 2y}")
		want := tier.Tier{
			Deferred: true, Unit: tier.Hour, Retention: 180 * tier.Day24, Least: 90 * tier.Day24,
			From: model.NewTime(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)),
		}
		if got := c.Retention.Finest(); got != want {
			t.Errorf("from %s: got %+v, want %+v", from, got, want)
		}
	}
}

func TestStages_ReplaceTheShippedOnes(t *testing.T) {
	got := parse(t, `
stages:
  live:
    billing: {readUnits: 25, writeUnits: 50, autoscale: {readUnits: 100, writeUnits: 500, utilization: 70}}
    alarmMail: team@example.com
    access: {issuer: "https://login.example.com", audience: [tidemark], ownerClaim: sub, client: pages}
    ui: true
    sources: {topic: plant7, sqs: true}
    reserved: {aggregate: 20}
  test: {billing: onDemand, removal: destroy, logRetention: 1d, access: iam, throttle: {rate: 5}, sources: {things: []}}
`).Stages
	want := []config.Stage{
		{
			Name: "live", Billing: config.Billing{ReadUnits: 25, WriteUnits: 50, Autoscale: config.Autoscale{ReadUnits: 100, WriteUnits: 500, Utilization: 70}}, Removal: config.Retain,
			Monitoring: config.FullMonitoring, Sweeps: 1, LogRetention: 90 * tier.Day24, AlarmMail: "team@example.com",
			Access: config.Access{Issuer: "https://login.example.com", Audience: []string{"tidemark"}, OwnerClaim: "sub", Client: "pages"}, UI: true,
			Throttle: config.Throttle{Rate: 500, Burst: 1000},
			Sources:  config.Sources{Things: []string{"DEVICE"}, Topic: "plant7", Pages: true, Senders: true, SQS: true},
			Reserved: config.Reserved{Aggregate: 20, Prometheus: 20, Pages: 10},

			PublicThrottle: config.Throttle{Rate: 100, Burst: 200},
		},
		{
			Name: "test", Monitoring: config.FullMonitoring, Sweeps: 1, Removal: config.Destroy, LogRetention: tier.Day24,
			Throttle: config.Throttle{Rate: 5, Burst: 1000},
			Sources:  config.Sources{Pages: true, Senders: true},
			Reserved: config.Reserved{Prometheus: 20, Pages: 10},

			PublicThrottle: config.Throttle{Rate: 100, Burst: 200},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !got[0].Billing.Provisioned() || got[1].Billing.Provisioned() {
		t.Error("Provisioned returned the same for units and onDemand")
	}
	if !got[0].Access.ByToken() || got[1].Access.ByToken() {
		t.Error("ByToken returned the same for tokens and IAM")
	}
}

func TestParse_MissingValuesOfASourceAreTextsOrNumbers(t *testing.T) {
	t.Parallel()
	c := parse(t, `sources: {plc: {kind: READING, missing: [-9999, ERR, "6.0"]}, ecowitt: {missing: []}}`)
	row := func(name string) *config.SourceRow {
		i := slices.IndexFunc(c.Sources, func(s config.SourceRow) bool { return s.Match == name })
		return &c.Sources[i]
	}
	for text, want := range map[string]bool{"-9999": true, "-9999.00": true, "ERR": true, "6": true,
		"err": false, "": false, "9999": false, "-99990": false} {
		if got := row("plc").IsMissing(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	if row("ecowitt").IsMissing("-9999") {
		t.Error("a row cannot have fewer missing values than its preset")
	}
}
