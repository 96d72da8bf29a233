package iot_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fleet is a table with devices on it. The test sets its clock.
type fleet struct {
	now   model.Time
	table *memory.Table
	kinds *catalog.Catalog
	life  *lifecycle.Service
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{now: model.Time(1_776_693_600_000), kinds: kinds}
	clock := func() model.Time { return f.now }
	f.table = memory.New(clock)
	f.life = &lifecycle.Service{Store: f.table, Profile: kinds.Profile, Limits: config.Default().Limits,
		Now: clock, Rand: rand.Reader}
	return f
}

func device(i int) model.Subject {
	return model.Subject{Type: iot.Device.Name, ID: fmt.Sprintf("device_%05d", i)}
}

func text(name, value string) model.Attr {
	return model.Attr{Name: name, Value: model.TextValue(value)}
}

func TestDevice_IsActiveUnlessItSaysOtherwiseAndOfAKnownType(t *testing.T) {
	f := newFleet(t)
	out, err := f.life.Create(t.Context(), device(1), model.Attrs{text(iot.FieldType, "sensor")})
	if err != nil || out.Outcome != lifecycle.Created {
		t.Fatalf("create: %+v, %v", out, err)
	}
	if v, _ := out.Profile.Attrs.Get(iot.FieldStatus); v.Text != "active" {
		t.Errorf("status is %q", v.Text)
	}
	out, err = f.life.Create(t.Context(), device(2), model.Attrs{text(iot.FieldType, "toaster")})
	var problems model.FieldErrors
	if !errors.As(err, &problems) || out.Outcome != "" || len(problems) != 1 ||
		problems[0].Field != iot.FieldType || problems[0].Code != "not-allowed" {
		t.Errorf("a toaster: %+v, %v", out, err)
	}
}

// Of ten thousand devices of one status no partition of the index has much more than its
// share, and a list finds every one of them once.
func TestDevices_OfOneStatusAreSpreadAndListedWhole(t *testing.T) {
	f := newFleet(t)
	const devices = 10_000
	for i := range devices {
		if out, err := f.life.Create(t.Context(), device(i), model.Attrs{text(iot.FieldAccount,
			fmt.Sprintf("account_%d", i%100))}); err != nil || out.Outcome != lifecycle.Created {
			t.Fatalf("create: %+v, %v", out, err)
		}
	}
	in := map[string]int{}
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		page, next, err := f.table.Scan(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page {
			if k := it.IndexKey(keys.IndexGSI1); k.PK != "" {
				in[k.PK]++
			}
		}
		after = next
	}
	if len(in) != 8 {
		t.Errorf("they are in %d partitions: %v", len(in), in)
	}
	for partition, n := range in {
		if share := devices / len(in); n > share*11/10 {
			t.Errorf("%s holds %d of %d: want %d, and a tenth more at most", partition, n, devices, share)
		}
	}
	for field, list := range map[string]struct {
		value string
		want  int
	}{iot.FieldStatus: {"active", devices}, iot.FieldAccount: {"account_7", devices / 100}} {
		seen := map[string]bool{}
		for c, first := (lifecycle.Cursor{}), true; first || c != (lifecycle.Cursor{}); first = false {
			found, err := f.life.ListByField(t.Context(), iot.Device.Name, field, list.value, c, 1000)
			if err != nil || len(found.Profiles) > 1000 {
				t.Fatalf("%d profiles, %v", len(found.Profiles), err)
			}
			for _, p := range found.Profiles {
				seen[p.Subject.ID] = true
			}
			c = found.Next
		}
		if len(seen) != list.want {
			t.Errorf("by %s %d are found, want %d", field, len(seen), list.want)
		}
	}
}

// reports has a device report once an hour, up to now.
func (f *fleet) reports(t *testing.T, hours int) {
	t.Helper()
	service := &ingest.Service{Store: f.table, Limits: config.Default().Limits,
		Now: func() model.Time { return f.now }, Rand: rand.Reader}
	kind, _ := f.kinds.Kind(iot.Readings.Name)
	begin := f.now
	for i := range hours {
		f.now = begin.Add(time.Duration(i-hours+1) * time.Hour)
		if _, err := service.AppendEvents(t.Context(), kind,
			[]ingest.TypedObservation{{Subject: device(1).ID, At: f.now,
				Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(i)))}}}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDevice_SilentForAMonthHasItsLatestReadingStill(t *testing.T) {
	f := newFleet(t)
	f.reports(t, 5)
	last := f.now
	f.now = f.now.Add(31 * 24 * time.Hour)
	if gone := f.table.ExpireWhere(f.now, func(keys.Key) bool { return true }); gone != 5 {
		t.Fatalf("%d events expired, want all 5", gone)
	}
	kind, _ := f.kinds.Kind(iot.Readings.Name)
	reads := &query.Service{Store: f.table, Now: func() model.Time { return f.now },
		CursorKey: []byte("a key of the tests")}
	latest, err := reads.Latest(context.Background(), query.Series{Kind: kind, Subject: device(1).ID}, true)
	if err != nil || latest == nil {
		t.Fatalf("latest item: %v, %v", latest, err)
	}
	if v, _ := latest.Attrs.Get("temperature"); v.Number.String() != "4" || latest.At != last {
		t.Errorf("latest item is %s of %s, want 4 of %s", v.Number, latest.At, last)
	}
	if at, ok, err := f.life.LastSeen(t.Context(), device(1)); err != nil || !ok || at != last {
		t.Errorf("last seen %s, %v, %v; want %s", at, ok, err, last)
	}
	if _, ok, err := f.life.LastSeen(t.Context(), device(2)); err != nil || ok {
		t.Errorf("a device that never reported was seen: %v, %v", ok, err)
	}
}

func TestDevice_ItsLastSevenDaysAreSevenDays(t *testing.T) {
	f := newFleet(t)
	f.reports(t, 20*24)
	kind, _ := f.kinds.Kind(iot.Readings.Name)
	reads := &query.Service{Store: f.table, Now: func() model.Time { return f.now },
		CursorKey: []byte("a key of the tests")}
	page, err := reads.History(context.Background(),
		query.History{Series: query.Series{Kind: kind, Subject: device(1).ID},
			From: f.now.Add(-7*24*time.Hour + time.Millisecond), To: f.now + 1, Limit: 1000})
	if err != nil || len(page.Events) != 7*24 {
		t.Fatalf("%d readings, %v; want one an hour for seven days", len(page.Events), err)
	}
	if first, last := page.Events[0].At,
		page.Events[len(page.Events)-1].At; last.Sub(first) != 7*24*time.Hour-time.Hour {
		t.Errorf("they reach from %s to %s", first, last)
	}
}
