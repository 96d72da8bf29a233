package userprogram

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// metered is a reading of a device that is at a site.
type metered struct {
	Device string    `tide:"subject"`
	At     time.Time `tide:"time"`
	Site   string    `tide:"field"`
	Power  int64     `tide:"measure"`
}

// owner is the profile of a device.
type owner struct {
	ID      string `tide:"subject"`
	Account string `tide:"field"`
}

// meters is a kind with groups by the site of its readings, and by the account in the profile.
func meters() catalog.Kind {
	return catalog.Kind{
		Name: "METER", Retention: tier.Standard().Defer(), Groups: []string{"site", "profile.account"},
		Subject: catalog.SubjectType{Name: "DEVICE", Profile: &catalog.Profile{
			Declared: []catalog.ProfileField{{Name: "account"}}, GroupFields: []string{"account"},
		}},
		Measures: []rollup.MeasureSpec{{Name: "power"}},
	}
}

// hourSums returns the sum of each group of a level in an hour.
func hourSums(t *testing.T, readings *timeseries.Events[metered], level string,
	hour time.Time) map[string]string {
	t.Helper()
	groups, err := readings.Groups(level)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, id := range []string{"berlin", "paris", "acme", "globex"} {
		rows, err := groups.Rollups(context.Background(), timeseries.Key{Subject: id}, tier.Hour,
			timeseries.In(hour, hour.Add(time.Hour)))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows.Rollups {
			if m := row.Measure("power"); m.Count > 0 {
				sums[id] = m.Sum.String()
			}
		}
	}
	return sums
}

// Groups follow their members in a test as they do when deployed: readings that are corrected to another
// site, deleted and late, and devices that move to another account.
func TestGroups_FollowCorrectionsDeletionsAndMoves(t *testing.T) {
	ctx, begin := t.Context(), time.Date(2026, 4, 20, 9, 30, 0, 0, time.UTC)
	table := timeseriestest.New(t, begin)
	table.Configure(meters())
	readings, err := timeseries.Open[metered](table, meters(), table.Options())
	if err != nil {
		t.Fatal(err)
	}
	owners, err := timeseries.OpenProfiles[owner](table, meters().Subject, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	owns := func(device, account string, version int64, want lifecycle.Outcome) {
		t.Helper()
		out, err := owners.Put(ctx, owner{ID: device, Account: account}, version)
		if err != nil || out.Outcome != want {
			t.Fatalf("%s of %s: %s, %v", device, account, out.Outcome, err)
		}
	}
	owns("a", "acme", 0, lifecycle.Created)
	owns("b", "acme", 0, lifecycle.Created)
	table.Advance(time.Hour) // to 10:30
	hour := begin.Truncate(time.Hour).Add(time.Hour)
	at := func(device, site string, minute int, power int64) metered {
		of := hour.Add(time.Duration(minute) * time.Minute)
		return metered{Device: device, Site: site, At: of, Power: power}
	}
	send := func(m metered) {
		t.Helper()
		if _, err := readings.Append(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	want := func(step string, sites, accounts map[string]string) {
		t.Helper()
		table.Advance(20 * time.Minute)
		if got := hourSums(t, readings, "site", hour); !maps.Equal(got, sites) {
			t.Errorf("%s: sites %v, want %v", step, got, sites)
		}
		if got := hourSums(t, readings, "profile.account", hour); !maps.Equal(got, accounts) {
			t.Errorf("%s: accounts %v, want %v", step, got, accounts)
		}
	}
	send(at("a", "berlin", 1, 100))
	send(at("a", "berlin", 2, 10))
	send(at("b", "paris", 3, 7))
	table.Advance(time.Hour) // to 11:30
	want("closed", map[string]string{"berlin": "110", "paris": "7"}, map[string]string{"acme": "117"})
	if done, err := readings.Correct(ctx, at("a", "paris", 2, 10)); err != nil || !done {
		t.Fatal(done, err)
	}
	want("corrected to another site", map[string]string{"berlin": "100", "paris": "17"},
		map[string]string{"acme": "117"})
	if done, err := readings.Delete(ctx, at("b", "paris", 3, 7)); err != nil || !done {
		t.Fatal(done, err)
	}
	want("deleted", map[string]string{"berlin": "100", "paris": "10"}, map[string]string{"acme": "110"})
	owns("b", "globex", 1, lifecycle.Updated)
	send(at("b", "paris", 4, 5)) // late, and before the move
	want("late, after a move", map[string]string{"berlin": "100", "paris": "15"},
		map[string]string{"acme": "115"})
	hour = table.Now().Truncate(time.Hour).Add(time.Hour)
	table.Advance(time.Hour)
	send(at("b", "paris", 1, 3))
	table.Advance(time.Hour)
	want("after the move", map[string]string{"paris": "3"}, map[string]string{"globex": "3"})
}
