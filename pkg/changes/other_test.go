package changes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/changes"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

type owner struct {
	ID   string         `tide:"subject"`
	Name string         `tide:"field"`
	Tags map[string]any `tide:"field"`
}

func TestHandler_GetsEachChangeOfAProfile(t *testing.T) {
	t.Parallel()
	table, ctx := timeseriestest.New(t, start), t.Context()
	owners, err := timeseries.OpenProfiles[owner](table, catalog.SubjectType{Name: "OWNER"}, table.Options())
	if err != nil {
		t.Fatal(err)
	}
	must := func(r timeseries.ProfileResult[owner], err error) int64 {
		t.Helper()
		if err != nil || r.Profile == nil {
			t.Fatal(r.Outcome, err)
		}
		return r.Profile.Version
	}
	v := must(owners.Put(ctx,
		owner{ID: "o1", Name: "Ann", Tags: map[string]any{"levels": []any{"a", true, nil}}}, 0))
	v = must(owners.Put(ctx, owner{ID: "o1", Name: "Anna"}, v))
	v = must(owners.Delete(ctx, "o1", v))
	must(owners.Restore(ctx, "o1", v))
	var got []string
	h := changes.Handler[reading]{Profile: func(_ context.Context, c changes.ProfileChange) error {
		line := string(c.Type) + " " + c.Subject.ID
		for _, p := range []*model.Profile{c.Before, c.After} {
			if p == nil {
				line += " -"
				continue
			}
			decoded, err := owners.Decode(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %s %d %v", decoded.Value.Name, decoded.Version, decoded.Value.Tags)
		}
		got = append(got, line)
		return nil
	}}
	response, err := h.Invoke(ctx, table.StreamBatch())
	if failed := failedFrom(t, response, err); failed != "" {
		t.Errorf("record %s failed", failed)
	}
	const tags = "map[levels:[a true <nil>]]"
	want := []string{
		"created o1 - Ann 1 " + tags, "updated o1 Ann 1 " + tags + " Anna 2 map[]", "deleted o1 Anna 3 map[] Anna 3 map[]",
		"restored o1 - Anna 4 map[]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("changes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// batch returns a payload with records of changes.
func batch(t *testing.T, records ...*simstream.Change) []byte {
	t.Helper()
	bodies := make([]json.RawMessage, len(records))
	for i, r := range records {
		it := r.New
		if it == nil {
			it = r.Old
		}
		r.Keys = item.Item{keys.AttrPK: it[keys.AttrPK], keys.AttrSK: it[keys.AttrSK]}
		bodies[i] = simstream.Body(r, model.Time(start.UnixMilli()), "arn", fmt.Sprint(100+i))
	}
	payload, err := json.Marshal(map[string]any{"Records": bodies})
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

func TestHandler_TellsTheExpiryOfAProfileFromItsDeletion(t *testing.T) {
	t.Parallel()
	subject := model.Subject{Type: "OWNER", ID: "o1"}
	lasting := item.FromProfile(&model.Profile{Subject: subject, Version: 1})
	ending := item.FromProfile(&model.Profile{Subject: subject, Version: 1, ExpiresAt: start.Unix()})
	for name, c := range map[string]struct {
		change simstream.Change
		want   []changes.Type
	}{
		"by TTL":                     {simstream.Change{Old: lasting, Expired: true}, []changes.Type{changes.Expired}},
		"by TTL, seen by a replica":  {simstream.Change{Old: ending, Expired: true, Unsigned: true}, []changes.Type{changes.Expired}},
		"part of a deletion":         {simstream.Change{Old: lasting}, nil},
		"written by another program": {simstream.Change{New: item.FromProfile(&model.Profile{Subject: subject})}, []changes.Type{changes.Created}},
	} {
		var got []changes.Type
		h := changes.Handler[reading]{Profile: func(_ context.Context, c changes.ProfileChange) error {
			got = append(got, c.Type)
			return nil
		}}
		response, err := h.Invoke(t.Context(), batch(t, &c.change))
		if failed := failedFrom(t, response, err); failed != "" || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, failed from %q; want %v", name, got, failed, c.want)
		}
	}
}

func TestHandler_GetsEachChangeOfAnAlert(t *testing.T) {
	t.Parallel()
	alert := storage.Alert{
		ID: "01JZ0000000000000000000000", Rule: "too-hot", Severity: storage.Critical, Measure: "temperature", Limit: "above 30",
		Series:    model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d1"}, Kind: "READING", Stream: "indoor"},
		Violation: storage.Violation{Raised: model.Order{At: model.Time(start.UnixMilli())}, Value: model.NewDecimal(31)},
	}
	notice := storage.Notification{Alert: alert, Change: storage.AlertChangeRaised,
		At: model.Time(start.Add(time.Second).UnixMilli())}
	stored := item.FromNotification(&notice, 0)
	notice.ExpiresAt = start.Unix() + 100
	delivered := item.FromNotification(&notice, 0)
	records := []*simstream.Change{{New: stored}, {Old: stored, New: delivered}, {Old: delivered, Expired: true}}
	var got []changes.AlertChange
	h := changes.Handler[reading]{Alert: func(_ context.Context, c changes.AlertChange) error {
		got = append(got, c)
		return nil
	}}
	response, err := h.Invoke(t.Context(), batch(t, records...))
	if failed := failedFrom(t, response, err); failed != "" || len(got) != 1 {
		t.Fatalf("%+v, failed from %q; want one change", got, failed)
	}
	want := changes.AlertChange{
		Type: "raised", Alert: alert.ID, Series: alert.Series, Rule: "too-hot", Measure: "temperature", Value: model.NewDecimal(31),
		Limit: "above 30", Message: "temperature 31 above 30", Severity: "critical", Status: "open",
		Raised: start, At: start.Add(time.Second), ID: "event-100",
	}
	if got[0] != want {
		t.Errorf("%+v\nwant %+v", got[0], want)
	}
	got, h.Alert = nil, nil
	h.Profile = func(context.Context, changes.ProfileChange) error {
		return errors.New("an alert is no profile")
	}
	response, err = h.Invoke(t.Context(), batch(t, records...))
	if failed := failedFrom(t, response, err); failed != "" {
		t.Errorf("without a function for alerts: failed from %q", failed)
	}
}

func TestHandler_QuarantinesAProfileThatItCannotRead(t *testing.T) {
	t.Parallel()
	newer := item.FromProfile(&model.Profile{Subject: model.Subject{Type: "OWNER", ID: "o1"}})
	newer[keys.AttrVersion] = item.Number(99)
	payload := batch(t, &simstream.Change{New: newer})
	var kept []changes.Poison
	h := changes.Handler[reading]{
		Log:     slog.New(slog.DiscardHandler),
		Profile: func(context.Context, changes.ProfileChange) error { return errors.New("not a change") },
	}
	response, err := h.Invoke(t.Context(), payload)
	if failed := failedFrom(t, response, err); failed != "100" {
		t.Errorf("without quarantine the record %q failed, want 100", failed)
	}
	h.Quarantine = func(_ context.Context, p changes.Poison) error { kept = append(kept, p); return nil }
	response, err = h.Invoke(t.Context(), payload)
	if failed := failedFrom(t, response, err); failed != "" || len(kept) != 1 || len(kept[0].Record) == 0 {
		t.Errorf("failed from %q, kept %+v; want one record in quarantine", failed, kept)
	}
}
