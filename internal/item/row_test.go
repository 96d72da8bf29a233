package item_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func anyRow() *rapid.Generator[rollup.Row] {
	return rapid.Custom(func(t *rapid.T) rollup.Row {
		e := anyEvent().Draw(t, "event")
		fold := rollup.NewFold(spec())
		fold.AddEvent(&e)
		fold.Children = 0
		fold.Unreadable = rapid.Int64Range(0, 1<<40).Draw(t, "unreadable")
		fold.Exact = rapid.Bool().Draw(t, "exact")
		fold.ChildrenUntil = rapid.OneOf(rapid.SampledFrom([]int64{0, rollup.NoExpiry}), rapid.Int64Range(0, 1<<40)).Draw(t, "until")
		u := rapid.SampledFrom([]tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month}).Draw(t, "unit")
		row := rollup.Row{
			Key:  rollup.Key{Series: e.Series, Tier: u.String(), Start: u.BucketOf(e.At).Start},
			Fold: *fold, V: item.Version, ExpiresAt: e.ExpiresAt, WrittenAt: e.ArrivedAt, Empty: rapid.Bool().Draw(t, "empty"),
		}
		if rapid.Bool().Draw(t, "has a resume point") {
			row.Resume = rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "resume")
		}
		copy(row.Rev[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "rev"))
		return row
	})
}

func TestRow_ComesBackAsItWasStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRow().Draw(t, "row")
		stored, err := item.FromRow(&r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := item.Row(stored)
		if diff := cmp.Diff(r, got, sameNoun); err != nil || diff != "" {
			t.Fatalf("%v, came back otherwise (-want +got):\n%s", err, diff)
		}
	})
}

func TestFromRow_WritesOurVersionForARowThatHasNone(t *testing.T) {
	r := row()
	r.V = 0
	stored, err := item.FromRow(&r)
	if err != nil || stored[keys.AttrVersion].S != "1" {
		t.Errorf("version %v, %v; want 1", stored[keys.AttrVersion], err)
	}
}

func TestFromRow_RefusesToWriteWhatANewerVersionWrote(t *testing.T) {
	r := row()
	r.V = item.Version + 1
	if stored, err := item.FromRow(&r); !errors.Is(err, item.ErrNewer) || stored != nil {
		t.Errorf("stored %v, %v; want ErrNewer", stored, err)
	}
}

func TestFromRow_RefusesARowPastTheLimitAndSaysWhatToDo(t *testing.T) {
	wide := model.Event{Series: series(), Attrs: make(model.Attrs, 2000)}
	for i := range wide.Attrs {
		wide.Attrs[i] = model.Attr{Name: fmt.Sprintf("%064d", i), Value: model.NumberValue(model.DecimalOf(int64(i)))}
	}
	fold := rollup.NewFold(&rollup.Spec{MaxMeasures: len(wide.Attrs)})
	fold.AddEvent(&wide)
	r := row()
	r.Fold = *fold
	stored, err := item.FromRow(&r)
	if !errors.Is(err, item.ErrRowTooLarge) || stored != nil || !strings.Contains(err.Error(), "declare fewer dimensions") {
		t.Errorf("a row of 2,000 measures: %v, want ErrRowTooLarge", err)
	}
}

func TestFromRow_SharesNothingWithTheRow(t *testing.T) {
	r := row()
	stored, err := item.FromRow(&r)
	if err != nil {
		t.Fatal(err)
	}
	r.Rev[0]++
	r.Digest[0]++
	if stored[keys.AttrRev].B[0] == r.Rev[0] || stored[keys.AttrDigest].B[0] == r.Digest[0] {
		t.Error("a change of the row changed the item")
	}
}

func TestRow_OfANewerVersionIsNamedAndNotRead(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	it := wrecked(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"})
	it[keys.AttrSummary] = item.Value{Type: item.S, S: "another form"}
	got, err := item.Row(it)
	want := rollup.Row{Key: r.Key, Rev: r.Rev, V: 2, ExpiresAt: r.ExpiresAt}
	if diff := cmp.Diff(want, got, sameNoun); !errors.Is(err, item.ErrNewer) || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestRow_WithASummaryOfANewerCodecIsNewerToo(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	encoded := r.Summary.Encode(nil)
	encoded[0] = rollup.Version + 1
	if got, err := item.Row(wrecked(stored, keys.AttrSummary, item.Value{Type: item.B, B: encoded})); !errors.Is(err, item.ErrNewer) || got.Summary != nil {
		t.Errorf("%v, want ErrNewer and no summary", err)
	}
}

func TestRow_DamagedIsNamedWithItsRevSoThatItCanBeWrittenOver(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	check := func(name string, it item.Item) {
		t.Helper()
		got, err := item.Row(it)
		want := rollup.Row{Key: r.Key, Rev: r.Rev, V: item.Version, ExpiresAt: r.ExpiresAt}
		if diff := cmp.Diff(want, got, sameNoun); !errors.Is(err, item.ErrDamaged) || diff != "" {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, diff)
		}
	}
	for _, attr := range []string{keys.AttrSummary, keys.AttrDigest, keys.AttrExact, keys.AttrWritten} {
		check("without "+attr, without(stored, attr))
		for name, v := range wrecks {
			check(attr+" made "+name, wrecked(stored, attr, v))
		}
	}
	for _, attr := range []string{keys.AttrUntil, keys.AttrUnreadable, keys.AttrEmpty, keys.AttrLag} {
		for _, name := range []string{"of another type", "a word", "short bytes", "null", "a fraction"} {
			check(attr+" made "+name, wrecked(stored, attr, wrecks[name]))
		}
	}
	check("summary cut short", wrecked(stored, keys.AttrSummary, item.Value{Type: item.B, B: stored[keys.AttrSummary].B[:5]}))
	check("summary emptied", wrecked(stored, keys.AttrSummary, item.Value{Type: item.B, B: []byte{}}))
}

func TestRow_WithoutRevOrVersionIsDamaged(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	for _, it := range []item.Item{
		without(stored, keys.AttrRev), wrecked(stored, keys.AttrRev, wrecks["short bytes"]),
		without(stored, keys.AttrVersion), wrecked(stored, keys.AttrVersion, wrecks["negative"]),
	} {
		if got, err := item.Row(it); !errors.Is(err, item.ErrDamaged) || got.Key != r.Key || got.Summary != nil {
			t.Errorf("%v, %v; want ErrDamaged with the key", got, err)
		}
	}
}

func TestRow_EmptyMayLackASummary(t *testing.T) {
	stored, err := item.FromRow(&rollup.Row{Key: row().Key, Empty: true, Fold: rollup.Fold{ChildrenUntil: rollup.NoExpiry}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := item.Row(stored); err != nil || !got.Empty || got.Summary != nil {
		t.Errorf("%v, %v; want an empty row", got, err)
	}
}

func TestRow_WithoutItsKeyIsAnError(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	for _, sk := range []string{"", "AGG#hour#READING#status#2026-04-20", "EVENT#READING##2026-04-20T14:00:00.000Z#7"} {
		if _, err := item.Row(wrecked(stored, keys.AttrSK, item.Value{Type: item.S, S: sk})); !errors.Is(err, keys.ErrForeign) {
			t.Errorf("sort key %q: %v, want ErrForeign", sk, err)
		}
	}
}

// A reader of an older release knows nothing of resume points, and loses nothing but
// them when it writes the row.
func TestRow_IsWholeWithoutItsResumePoint(t *testing.T) {
	r := row()
	r.Resume = []byte{1, 2, 3}
	stored, err := item.FromRow(&r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := item.Row(without(stored, keys.AttrResume))
	if diff := cmp.Diff(row(), got, sameNoun); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}
