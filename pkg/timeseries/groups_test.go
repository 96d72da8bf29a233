package timeseries_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// foldGroups processes the table's stream and sweeps the queue, as the aggregate function does.
func foldGroups(t *testing.T, table *memory.Table, kind catalog.Kind) {
	t.Helper()
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	at := today
	aggregator := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds,
		Now: func() model.Time { return model.NewTime(at) }}
	var changes []storage.Change
	for _, record := range table.Records(0) {
		if key, err := keys.ParseEvent(record.Keys); err == nil {
			e, _ := item.Event(record.New)
			changes = append(changes, storage.Change{Type: storage.Inserted, Key: key, After: &e, At: record.At})
		}
		if m, err := item.Memberships(record.New); err == nil {
			changes = append(changes, storage.Change{Type: storage.Moved, Groups: &m, At: record.At})
		}
	}
	if report := aggregator.Process(t.Context(), changes); len(report.Failures) > 0 {
		t.Fatalf("%+v", report)
	}
	at = at.Add(30 * time.Minute)
	for _, shard := range append(storage.FirstGeneration.QueueShards(), storage.GroupShard) {
		if report, err := aggregator.Sweep(t.Context(), shard); err != nil || len(report.Failures) > 0 {
			t.Fatalf("%+v, %v", report, err)
		}
	}
	if err := table.PutItem(t.Context(), item.FromStreamProgress(model.NewTime(today))); err != nil {
		t.Fatal(err)
	}
}

func TestGroups_AreListedReadAndTheirSilentMembersCounted(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Groups, kind.Retention = []string{"location"}, tier.Standard().Defer()
	table := newTable()
	readings, err := timeseries.Open[Reading](table, kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	hour := today.Add(-3 * time.Hour)
	for _, r := range []Reading{
		{Device: "a", At: hour, Location: "hall", Temperature: number("20")},
		{Device: "b", At: hour, Location: "hall", Temperature: number("22")},
		{Device: "c", At: hour, Location: "yard", Temperature: number("4")},
		{Device: "d", At: hour, Temperature: number("1")},
		{Device: "a", At: today, Location: "hall", Temperature: number("21")},
	} {
		if _, err := readings.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	foldGroups(t, table, readings.Kind())
	places, err := readings.Groups("location")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for l, err := range places.Series(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, l.Subject)
	}
	if diff := cmp.Diff([]string{"hall", "yard"}, names); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	list, err := places.Rollups(t.Context(), timeseries.Key{Subject: "hall"}, tier.Hour,
		timeseries.In(hour, hour.Add(time.Hour)))
	rows := list.Rollups
	if err != nil || len(rows) != 1 || rows[0].Summary.Events() != 2 || !rows[0].Exact {
		t.Errorf("%+v, %v; want one exact rollup of two events", rows, err)
	}
	counts, unknown, through, err := places.SilentMembers(t.Context(), 30*time.Minute)
	want := map[string]int{"": 1, "hall": 1, "yard": 1}
	if diff := cmp.Diff(want, counts); diff != "" || unknown != 0 || err != nil || !through.Equal(today) {
		t.Errorf("%d unknown, through %s, %v (-want +got):\n%s", unknown, through, err, diff)
	}
	counts, unknown, through, err = places.Members(t.Context())
	want["hall"] = 2
	if diff := cmp.Diff(want, counts); diff != "" || unknown != 0 || err != nil || !through.Equal(today) {
		t.Errorf("members: %d unknown, through %s, %v (-want +got):\n%s", unknown, through, err, diff)
	}
}

// Of two meters in the hall, one moves to the yard.
func TestGroups_CountWhatTheirMetersHaveCounted(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Measures = []rollup.MeasureSpec{{Name: "temperature", Scale: 9, Percentiles: true, Counter: true}}
	kind.Groups, kind.Retention = []string{"location"}, tier.Standard().Defer()
	table := newTable()
	readings, err := timeseries.Open[Reading](table, kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	hour := today.Add(-5 * time.Hour)
	for _, r := range []Reading{
		{Device: "a", At: hour, Location: "hall", Temperature: number("20")},
		{Device: "a", At: hour.Add(time.Hour), Location: "hall", Temperature: number("20.5")},
		{Device: "a", At: hour.Add(2 * time.Hour), Location: "hall", Temperature: number("21")},
		{Device: "b", At: hour, Location: "hall", Temperature: number("100")},
		{Device: "b", At: hour.Add(time.Hour), Location: "hall", Temperature: number("103")},
		{Device: "b", At: hour.Add(2 * time.Hour), Location: "yard", Temperature: number("110")},
		{Device: "b", At: today, Location: "yard", Temperature: number("999")},
	} {
		if _, err := readings.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	foldGroups(t, table, readings.Kind())
	if _, err := readings.Increases(t.Context(), "temperature", hour, today); err == nil {
		t.Error("increases of a kind that is not of groups: no error")
	}
	places, err := readings.Groups("location")
	if err != nil {
		t.Fatal(err)
	}
	got, err := places.Increases(t.Context(), "temperature", hour.Add(time.Hour), time.Time{})
	if err != nil || !got.To.Equal(today) || !got.Open || len(got.Missing) > 0 || got.Unknown.Members > 0 {
		t.Fatalf("%+v, %v; want all but the present hour", got, err)
	}
	for i, want := range []string{"yard 1 7", "hall 2 4"} {
		g := got.Groups[i]
		if text := fmt.Sprint(g.Group.ID, " ", g.Members, " ", g.Increase); text != want || !g.Exact {
			t.Errorf("group %d: %s, exact %t; want %s", i, text, g.Exact, want)
		}
	}
	if hall := got.Members("hall"); len(hall) != 2 || hall[0].Member != "b" ||
		hall[1].Value != *number("1") {
		t.Errorf("members of the hall %+v, want b with 3 and a with 1", hall)
	}
	_, err = places.Increases(t.Context(), "humidity", hour, today)
	if !errors.Is(err, query.ErrNoCounter) {
		t.Errorf("increases of no counter: %v", err)
	}
}

// byAccount is a kind with groups by a field of the devices' profiles.
func byAccount() catalog.Kind {
	kind := iot.Readings
	kind.Groups, kind.Retention = []string{"profile.account"}, tier.Standard().Defer()
	kind.Subject.Profile = &catalog.Profile{
		Declared: []catalog.ProfileField{{Name: "account"}}, GroupFields: []string{"account"},
	}
	return kind
}

type owned struct {
	Device  string `tide:"subject"`
	Account string `tide:"field,name=account"`
}

// Groups by a profile are read as other groups are.
func TestGroups_ByAFieldOfTheProfile(t *testing.T) {
	t.Parallel()
	kind, at := byAccount(), today.Add(-5*time.Hour)
	table := newTable()
	readings, err := timeseries.Open[Reading](table, kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	devices, err := timeseries.OpenProfiles[owned](table, kind.Subject,
		&timeseries.Options{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	move := func(when time.Time, device, account string, version int64) {
		at = when
		if _, err := devices.Put(t.Context(), owned{Device: device, Account: account}, version); err != nil {
			t.Fatal(err)
		}
	}
	hour := today.Add(-3 * time.Hour)
	move(hour.Add(-time.Hour), "a", "acme", 0)
	move(hour.Add(-time.Hour), "b", "acme", 0)
	move(hour.Add(30*time.Minute), "b", "bolt", 1) // from the next hour on
	for _, device := range []string{"a", "b", "c"} {
		for _, when := range []time.Time{hour, hour.Add(time.Hour)} {
			r := Reading{Device: device, At: when, Temperature: number("20")}
			if _, err := readings.Append(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	foldGroups(t, table, readings.Kind())
	accounts, err := readings.Groups("profile.account")
	if err != nil {
		t.Fatal(err)
	}
	for account, want := range map[string][]int64{"acme": {2, 1}, "bolt": {1}} {
		list, err := accounts.Rollups(t.Context(), timeseries.Key{Subject: account}, tier.Hour,
			timeseries.In(hour, hour.Add(2*time.Hour)))
		rows := list.Rollups
		var got []int64
		for _, row := range rows {
			got = append(got, row.Summary.Events())
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("hours of %s (-want +got):\n%s%v", account, diff, err)
		}
	}
	counts, _, _, err := accounts.SilentMembers(t.Context(), 30*time.Minute)
	if diff := cmp.Diff(map[string]int{"": 1, "acme": 1, "bolt": 1}, counts); diff != "" || err != nil {
		t.Errorf("silent members, %v (-want +got):\n%s", err, diff)
	}
	counts, _, _, err = accounts.Members(t.Context())
	if diff := cmp.Diff(map[string]int{"": 1, "acme": 1, "bolt": 1}, counts); diff != "" || err != nil {
		t.Errorf("members, %v (-want +got):\n%s", err, diff)
	}
}

// A program that opens the profiles with another declaration would log no change.
func TestGroups_ByAProfileNeedItsDeclaration(t *testing.T) {
	t.Parallel()
	kind := byAccount()
	kind.Subject.Profile.GroupFields = nil
	_, err := timeseries.Open[Reading](newTable(), kind, &timeseries.Options{Now: clock})
	if err == nil || !strings.Contains(err.Error(), "add it to GroupFields of Subject.Profile") {
		t.Errorf("%v", err)
	}
}

func TestGroups_HaveNoEvents(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Groups = []string{"location"}
	readings, err := timeseries.Open[Reading](newTable(), kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readings.Groups("site"); err == nil {
		t.Error("groups by a field that the kind does not name: no error")
	}
	if _, _, _, err := readings.SilentMembers(t.Context(), time.Minute); err == nil {
		t.Error("silent members of devices: no error")
	}
	if _, _, _, err := readings.Members(t.Context()); err == nil {
		t.Error("members of devices: no error")
	}
	places, err := readings.Groups("location")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := places.Append(t.Context(),
		Reading{Device: "hall", At: today, Temperature: number("1")}); !errors.Is(err, timeseries.ErrRejected) {
		t.Errorf("append to a group: %v, want %v", err, timeseries.ErrRejected)
	}
	if _, err := places.Latest(t.Context(), timeseries.Key{Subject: "hall"}); !errors.Is(err,
		timeseries.ErrNoLatest) {
		t.Errorf("latest item of a group: %v, want %v", err, timeseries.ErrNoLatest)
	}
}
