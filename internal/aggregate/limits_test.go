package aggregate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func rowItemKey(w *world, u tier.Unit, when string) keys.Key {
	return keys.Row(rollup.Key{Series: w.series, Tier: u.String(), Start: u.BucketOf(at(when)).Start})
}

func TestSettle_UnknownKindIsSetAsideAndTheRestGoesOn(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.series.Kind = "NOISE"
	w.put(order(ten, "x"), "1")
	w.series.Kind = gauge.Name
	w.put(order(half, ""), "2")
	changes := w.changes()
	for range 2 { // a repeat keeps it once
		if r := w.settleAll(changes); r.Quarantined != 1 {
			t.Errorf("%d changes set aside, want 1", r.Quarantined)
		}
	}
	w.wantRow(tier.Hour, ten, 2, "2", true)
	var kept []model.Quarantined
	for _, it := range w.items() {
		if q, err := item.Quarantined(it); err == nil {
			kept = append(kept, q)
		}
	}
	if len(kept) != 1 {
		t.Fatalf("%d things in quarantine, want 1", len(kept))
	}
	q := kept[0]
	var payload map[string]string
	if err := json.Unmarshal(q.Payload, &payload); err != nil || payload["kind"] != "NOISE" || payload["id"] != "x" {
		t.Errorf("payload %s: %v, want the event's identity", q.Payload, err)
	}
	if q.Door != "stream" || q.Subject != w.series.Subject || !strings.Contains(q.Reason, `"NOISE"`) || q.ExpiresAt != w.now().Add(30*tier.Day24).Seconds() {
		t.Errorf("quarantined as %+v", q)
	}
}

func TestSettle_UnknownKindThatCannotBeSetAsideFails(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.series.Kind = "NOISE"
	w.put(order(ten, ""), "1")
	w.on(&closedQuarantine{w.Table})
	if r := w.agg.Settle(w.ctx(), w.changes()); len(r.Failures) != 1 || r.Failures[0].Change != 1 {
		t.Errorf("failures %v, want one at change 1", r.Failures)
	}
}

type closedQuarantine struct{ store }

func (closedQuarantine) Quarantine(context.Context, model.Quarantined) (model.Answer, error) {
	return model.Uncertain, errors.New("access denied")
}

func TestSetAside_TransientAnswersAreAskedAgain(t *testing.T) {
	w := newWorld(t)
	q := &flakyQuarantine{store: w.Table, answers: []model.Answer{model.Throttled, model.Uncertain, model.Refused}}
	w.on(q)
	if err := w.agg.SetAside(w.ctx(), model.Quarantined{ID: "1"}); err != nil || len(q.answers) != 0 {
		t.Errorf("%v, %d answers left; want all asked, refused taken for kept already", err, len(q.answers))
	}
}

type flakyQuarantine struct {
	store
	answers []model.Answer
}

func (f *flakyQuarantine) Quarantine(context.Context, model.Quarantined) (model.Answer, error) {
	a := f.answers[0]
	f.answers = f.answers[1:]
	return a, nil
}

// A row of a newer version is neither folded nor rewritten, and the change comes again.
func TestSettle_NewerRowFailsAndStaysAsItIs(t *testing.T) {
	for i, u := range tiers {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.settle()
		key := rowItemKey(w, u, ten)
		stored, err := w.GetItem(w.ctx(), key)
		if err != nil {
			t.Fatal(err)
		}
		stored[keys.AttrVersion] = item.Value{Type: item.N, S: "2"}
		if err := w.PutItem(w.ctx(), stored); err != nil {
			t.Fatal(err)
		}
		w.put(order(half, ""), "2")
		r := w.agg.Settle(w.ctx(), w.changes())
		wantFailures := min(2, 3-i) // its own look, and that of the tier folded from it
		if len(r.Failures) != wantFailures || !errors.Is(r.Failures[0].Err, item.ErrNewer) {
			t.Errorf("%s of version 2: failures %v, want %d that say so", u, r.Failures, wantFailures)
		}
		if after, _ := w.GetItem(w.ctx(), key); string(after[keys.AttrRev].B) != string(stored[keys.AttrRev].B) {
			t.Errorf("%s of version 2 was rewritten", u)
		}
	}
}

func TestSettle_UnreadableEventIsCountedAndBlocksNothing(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	broken := item.FromEvent(&model.Event{Series: w.series, Order: order(half, "")})
	delete(broken, keys.AttrHash)
	if err := w.PutItem(w.ctx(), broken); err != nil {
		t.Fatal(err)
	}
	if r := w.settle(); r.Unreadable != 1 || r.Inexact != 3 {
		t.Errorf("%d unreadable, %d inexact rows; want 1, 3", r.Unreadable, r.Inexact)
	}
	for _, u := range tiers {
		w.wantRow(u, ten, 1, "1", false)
	}
	w.wantRecount()
	w.drop(broken.Key())
	w.settle()
	for _, u := range tiers {
		w.wantRow(u, ten, 1, "1", true)
	}
}

func (w *world) drop(k keys.Key) {
	w.Helper()
	if err := w.DeleteItem(w.ctx(), k); err != nil {
		w.Fatal(err)
	}
}

// bare is a table whose rows of one tier cannot be decoded.
type bare struct {
	store
	tier string
}

func (b *bare) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	row, err := b.store.Row(ctx, key)
	if row != nil && key.Tier == b.tier {
		row = &rollup.Row{Key: row.Key, Rev: row.Rev, V: row.V, ExpiresAt: row.ExpiresAt}
	}
	return row, err
}

func (b *bare) Rows(ctx context.Context, u tier.Unit, r model.Range) (rollup.RowPage, error) {
	page, err := b.store.Rows(ctx, u, r)
	for i, row := range page.Rows {
		if u.String() == b.tier {
			page.Rows[i] = rollup.Row{Key: row.Key, Rev: row.Rev, V: row.V, ExpiresAt: row.ExpiresAt}
		}
	}
	return page, err
}

func TestSettle_DamagedRowIsLeftAloneAndMakesTheCoarserInexact(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.settle()
	rev := w.row(tier.Hour, ten).Rev
	w.on(&bare{w.Table, tier.Hour.String()})
	w.put(order(half, ""), "2")
	r := w.settle()
	if w.row(tier.Hour, ten).Rev != rev || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Text, "rebuild") {
		t.Errorf("notes %v; want the row left alone and one that says what to do", r.Notes)
	}
	if day := w.row(tier.Day, ten); day.Exact || day.Unreadable != 1 {
		t.Errorf("the day: exact %v, unreadable %d; want false, 1", day.Exact, day.Unreadable)
	}
	w.on(w.Table) // the damaged row is deleted, and its bucket looked at again
	w.drop(rowItemKey(w, tier.Hour, ten))
	w.settleAll([]model.Change{{What: model.Corrected, Key: w.key(order(ten, ""))}})
	w.wantRecount()
}

// wordy is a gauge whose events fill a row: each brings a new long value of each of its
// dimensions.
func wordy() catalog.Kind {
	kind := gauge
	for i := range 10 {
		kind.Dimensions = append(kind.Dimensions, rollup.DimensionSpec{Name: fmt.Sprintf("word%d", i), Top: 200})
	}
	return kind
}

// tooLarge is how many of them no row holds.
const tooLarge = 1 + rollup.MaxRowBytes/10/rollup.MaxDimensionValue

// say puts n events of an hour, each with words of its own.
func (w *world) say(when string, n int) {
	w.Helper()
	for i := range n {
		e := w.event(model.Order{At: at(when) + model.Time(i)}, "1")
		for d, spec := range w.kind.Dimensions {
			word := fmt.Sprintf("%*d", rollup.MaxDimensionValue, 100*i+d)
			e.Attrs = append(e.Attrs, model.Attr{Name: spec.Name, Value: model.TextValue(word)})
		}
		e.Hash = model.HashOf(e.Attrs)
		if reply, err := w.Put(w.ctx(), e); err != nil || reply.Answer != model.Written {
			w.Fatalf("put %v: %v, %v", e.Order, reply.Answer, err)
		}
	}
}

func TestSettle_RowTooLargeIsKeptWithoutItsSummaryAndSaysSo(t *testing.T) {
	w := newWorldOf(t, wordy())
	w.say(ten, 1)
	w.settle()
	w.say(half, tooLarge)
	r := w.settle()
	if r.Oversize != 1 || len(r.Notes) != 1 || r.Notes[0].Key.Tier != "hour" {
		t.Errorf("%d oversize, notes %v; want one of the hour", r.Oversize, r.Notes)
	}
	hour := w.row(tier.Hour, ten)
	if hour.Exact || hour.Summary.Events() != 0 || hour.Unreadable != tooLarge+1 || hour.Digest == (rollup.Digest{}) {
		t.Errorf("hour: exact %v, %d events, %d unreadable, digest %s; want false, 0, %d and the digest of all",
			hour.Exact, hour.Summary.Events(), hour.Unreadable, hour.Digest, tooLarge+1)
	}
	if day := w.row(tier.Day, ten); day.Exact || day.Unreadable != tooLarge+1 {
		t.Errorf("day: exact %v, %d unreadable; want false, %d", day.Exact, day.Unreadable, tooLarge+1)
	}
	for i := range tooLarge { // what made it too large is gone
		w.delete(model.Order{At: at(half) + model.Time(i)})
	}
	w.settle()
	w.wantRecount()
}

// What was cut once is what the same events come to again: told twice it is written once,
// and a rebuild, dry or not, finds nothing to change.
func TestSettle_RowTooLargeComesToRest(t *testing.T) {
	w := newWorldOf(t, wordy())
	w.say(ten, tooLarge)
	changes := w.changes()
	w.settleAll(changes)
	before := w.items()
	if r := w.settleAll(changes); r.Written != 0 || r.Oversize != 0 || r.Unchanged != r.Looks {
		t.Errorf("told again: %d written, %d oversize, %d of %d unchanged; want nothing written", r.Written, r.Oversize, r.Unchanged, r.Looks)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("told again, items changed (-before +after):\n%s", diff)
	}
	dry := w.whole()
	dry.DryRun = true
	for name, rebuild := range map[string]aggregate.Rebuild{"dry": dry, "real": w.whole()} {
		if r := w.rebuild(rebuild); r.Changed != 0 {
			t.Errorf("a %s rebuild found %d rows to change, want none", name, r.Changed)
		}
	}
}

func TestSettle_CrowdedBucketIsSealedAndNotReadAgain(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Children = 10
	w.on(&paged{store: w.Table, limit: 4})
	for i := range 11 {
		w.put(order(ten, fmt.Sprint(i)), "1")
	}
	r := w.settle()
	if r.Crowded != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Text, "finer tier") {
		t.Errorf("%d crowded, notes %v; want 1 and a note that says what to do", r.Crowded, r.Notes)
	}
	w.wantRow(tier.Hour, ten, 11, "1", false)
	w.put(order(ten, "one more"), "1")
	if r := w.settle(); r.Reads > 5 || r.Sealed != 1 {
		t.Errorf("%d reads, %d sealed; want the bucket not read again", r.Reads, r.Sealed)
	}
}

func TestSettle_FullBucketIsNotCrowded(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Children = 10
	for i := range 10 {
		w.put(order(ten, fmt.Sprint(i)), "1")
	}
	if r := w.settle(); r.Crowded != 0 {
		t.Error("a bucket of as many children as are allowed is crowded")
	}
	w.wantRecount()
}

func TestSettle_RandomSourceThatFailsFailsTheLook(t *testing.T) {
	for _, source := range []string{"", strings.Repeat("\x00", 1000)} {
		w := newWorld(t)
		w.agg.Rand = strings.NewReader(source)
		w.put(order(ten, ""), "1")
		if r := w.agg.Settle(w.ctx(), w.changes()); len(r.Failures) == 0 || !strings.Contains(r.Failures[0].Err.Error(), "mint rev") {
			t.Errorf("failures %v, want one that says that no rev could be minted", r.Failures)
		}
	}
}

// The minute tier is one more rung.
func TestLadder_MinutesAreFoldedIntoHours(t *testing.T) {
	hot := gauge
	hot.Ladder = tier.Standard()
	hot.Ladder.Tiers = append([]tier.Tier{{Unit: tier.Minute, Retention: 34 * tier.Day24}}, hot.Ladder.Tiers...)
	w := newWorldOf(t, hot)
	for i := range 120 {
		w.put(model.Order{At: noon.Add(-time.Duration(i) * 37 * time.Second)}, fmt.Sprint(i))
	}
	w.settle()
	w.delete(model.Order{At: noon.Add(-119 * 37 * time.Second)})
	w.settle()
	w.wantRecount()
}

// A tier added later has no rows before its From: there, the coarser is folded as it
// was before.
func TestLadder_TierAddedLaterBeginsAtItsFrom(t *testing.T) {
	grown := gauge
	grown.Ladder = tier.Standard()
	grown.Ladder.Tiers = append([]tier.Tier{{Unit: tier.Minute, Retention: 34 * tier.Day24, From: at(eleven)}}, grown.Ladder.Tiers...)
	w := newWorldOf(t, grown)
	w.put(order(ten, ""), "1")
	w.put(order(eleven, ""), "2")
	w.settle()
	if w.row(tier.Minute, ten) != nil || w.row(tier.Minute, eleven) == nil {
		t.Error("want a minute at From, and none before")
	}
	w.wantRow(tier.Hour, ten, 1, "1", true)
	w.wantRow(tier.Hour, eleven, 1, "2", true)
	w.wantRow(tier.Day, ten, 2, "2", true)
}

// A new tier in the middle: the coarser is folded from the finest tier that has the
// whole of its bucket.
func TestLadder_DayAddedLaterLeavesEarlierMonthsToTheHours(t *testing.T) {
	grown := gauge
	grown.Ladder = tier.Standard()
	grown.Ladder.Tiers[1].From = at("2026-03-01T00:00:00Z")
	w := newWorldOf(t, grown)
	w.put(order("2026-02-10T10:00:00Z", ""), "1")
	w.put(order(ten, ""), "2")
	w.settle()
	if w.row(tier.Day, "2026-02-10T10:00:00Z") != nil {
		t.Error("a day before From")
	}
	w.wantRow(tier.Month, "2026-02-10T10:00:00Z", 1, "1", true)
	w.wantRow(tier.Month, ten, 1, "2", true)
}
