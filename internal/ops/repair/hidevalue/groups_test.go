package hidevalue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// fleet is a table with the rows of a device and its group, of one event with a text in each dimension.
func fleet(t *testing.T, text string) *world {
	w := emptyWorld(t, "2026-04-20T12:00:00Z", catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"}, Groups: []string{"site"},
		Dimensions: []rollup.DimensionSpec{{Name: "room", Detail: 1024}, {Name: "prop1"},
			{Name: "way", Of: [2]string{"site", "room"}}, {Name: "other", Of: [2]string{"prop1", "site"}}},
		Properties: []string{"prop1"},
		Retention: tier.Policy{Raw: 5 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 90 * day},
			{Unit: tier.Day, Retention: tier.Forever}}},
	})
	at := w.start()
	property := webfield.Prop{Event: "buy", Name: "plan", Value: text}
	event := model.Event{
		Series: series("READING", "DEVICE", "d1"), Order: model.Order{At: at},
		ExpiresAt: at.Add(5 * day).Seconds(),
		Attrs: model.Attrs{{Name: "prop1", Value: model.TextValue(property.String())},
			{Name: "room", Value: model.TextValue(text)}, {Name: "site", Value: model.TextValue("berlin")}},
	}
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		w.put(unit, series("READING", "DEVICE", "d1"), "", &event)
		w.put(unit, series("READING_BY_SITE", "BY_SITE", "berlin"), "", &event)
	}
	w.put(tier.Hour, series("READING_BY_SITE", "BY_SITE", "berlin"), "DEVICE#d1", &event)
	return w
}

func series(kind, subjectType, id string) model.Series {
	return model.Series{Subject: model.Subject{Type: subjectType, ID: id}, Kind: kind}
}

// put stores the row of an event, or with a member a share.
func (w *world) put(unit tier.Unit, of model.Series, member string, e *model.Event) {
	w.Helper()
	kind, _ := w.kinds.Kind(of.Kind)
	fold := rollup.NewFold(kind.Spec())
	fold.AddEvent(e)
	if kind.GroupsOf == "" {
		fold.Groups = []string{storage.GroupName("READING_BY_SITE", "berlin")}
	}
	row := rollup.Row{Fold: *fold, Rev: rollup.Rev{1}, Key: rollup.Key{
		Series: of, Tier: unit.String(), Start: unit.BucketAt(e.At).Start, Member: member}}
	if _, err := w.PutRow(w.Context(), &row, rollup.Rev{}); err != nil {
		w.Fatal(err)
	}
}

// hidden returns the dimensions of the group's share, hour and day that count the event as another value.
func (w *world) hidden() (all []string) {
	w.Helper()
	of := series("READING_BY_SITE", "BY_SITE", "berlin")
	hour, day := tier.Hour.BucketAt(w.start()).Start, tier.Day.BucketAt(w.start()).Start
	for _, key := range []rollup.Key{{Series: of, Tier: "hour", Start: hour, Member: "DEVICE#d1"},
		{Series: of, Tier: "hour", Start: hour}, {Series: of, Tier: "day", Start: day}} {
		row, err := w.Row(w.Context(), key)
		if err != nil || row == nil {
			w.Fatalf("%v: %v, %v", key, row, err)
		}
		for _, name := range row.Summary.DimensionNames() {
			if d, _ := row.Summary.Dimension(name); len(d.Values) == 0 && d.Other == 1 {
				all = append(all, key.Tier+key.Member+" "+name)
			}
		}
	}
	return all
}

// inAll returns two dimensions of all rows that hidden looks at.
func inAll(first, second string) (all []string) {
	for _, row := range []string{"hourDEVICE#d1 ", "hour ", "day "} {
		all = append(all, row+first, row+second)
	}
	return all
}

var ofGroup = hidevalue.Selection{Subject: model.Subject{Type: "BY_SITE", ID: "berlin"}, Field: "room",
	Value: secret}

// A row of a group is folded again from the shares of its members, so that both lose the value.
func TestHide_RemovesAValueFromAGroupAndItsShares(t *testing.T) {
	w := fleet(t, secret)
	if r, err := w.hide(ofGroup); err != nil || r.Rows != 2 || r.Stored() {
		t.Fatalf("hide: %+v, %v; want 2 rows", r, err)
	}
	if diff := cmp.Diff(inAll("room", "way"), w.hidden()); diff != "" {
		t.Errorf("counted as another value (-want +got):\n%s", diff)
	}
}

// Shares of buckets that are not sealed follow the events of members, which must lose the value first.
func TestHide_ChangesNoGroupWhileMembersHaveTheValue(t *testing.T) {
	w := fleet(t, secret)
	w.now = w.start()
	r, err := w.hide(ofGroup)
	if hidden := w.hidden(); err != nil || r.Shares != 1 || hidden != nil {
		t.Errorf("%+v, %v, hidden in %q; want 1 share, and nothing changed", r, err, hidden)
	}
}

// The rollups of a group are of all members, and are changed for the group alone.
func TestHide_NamesTheGroupsThatKeepAValue(t *testing.T) {
	w := fleet(t, secret)
	of := ofGroup
	of.Subject = model.Subject{Type: "DEVICE", ID: "d1"}
	r, err := w.hide(of)
	want := hidevalue.Report{Rows: 2, Groups: []model.Subject{ofGroup.Subject}}
	if diff := cmp.Diff(want, r); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Half of a pair has a space in place of a tab.
func TestHide_RemovesAValueWithTheSeparatorOfPairs(t *testing.T) {
	for field, dimensions := range map[string][2]string{
		"room": {"room", "way"}, "props.plan": {"other", "prop1"},
	} {
		w := fleet(t, "a\tb")
		r, err := w.hide(hidevalue.Selection{Subject: ofGroup.Subject, Field: field, Value: "a\tb"})
		diff := cmp.Diff(inAll(dimensions[0], dimensions[1]), w.hidden())
		if err != nil || r.Rows != 2 || diff != "" {
			t.Errorf("%s: %+v, %v; counted as another value (-want +got):\n%s", field, r, err, diff)
		}
	}
}
