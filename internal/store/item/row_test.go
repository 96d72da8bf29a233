package item_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
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
		fold.FieldsAt = rapid.OneOf(rapid.Just(model.Time(0)), rapid.Map(rapid.Int64Range(1, int64(model.MaxTime)),
			func(n int64) model.Time { return model.Time(n) })).Draw(t, "fields")
		fold.Exact = rapid.Bool().Draw(t, "exact")
		fold.ChildrenExpireAt = rapid.OneOf(rapid.SampledFrom([]int64{0, rollup.NoExpiry}),
			rapid.Int64Range(0, 1<<40)).Draw(t, "until")
		u := rapid.SampledFrom([]tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month}).Draw(t, "unit")
		row := rollup.Row{
			Key:  rollup.Key{Series: e.Series, Tier: u.String(), Start: u.BucketAt(e.At).Start},
			Fold: *fold, V: item.Version, ExpiresAt: e.ExpiresAt, WrittenAt: e.ArrivedAt, Empty: rapid.Bool().Draw(t, "empty"),
		}
		if rapid.Bool().Draw(t, "has derived events") {
			n := func(what string) int64 { return rapid.Int64Range(1, 1<<40).Draw(t, what) }
			row.Continuation = rollup.Continuation{Events: n("sources"), From: row.Key.Start, Carried: n("carried"),
				Last: model.Time(n("last")), Settles: model.Time(n("settles"))}
			if rapid.Bool().Draw(t, "began") {
				row.Continuation.Reach = model.Time(n("reach"))
			}
		}
		if rapid.Bool().Draw(t, "has a resume point") {
		}
		copy(row.Rev[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "rev"))
		return row
	})
}

func TestRow_IsTheInverseOfFromRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRow().Draw(t, "row")
		stored, err := item.FromRow(&r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := item.Row(stored)
		if diff := cmp.Diff(r, got, sameEntity); err != nil || diff != "" {
			t.Fatalf("%v, decoded item differs (-want +got):\n%s", err, diff)
		}
	})
}

func TestFromRow_WritesOurVersionForARowWithoutOne(t *testing.T) {
	r := row()
	r.V = 0
	stored, err := item.FromRow(&r)
	if err != nil || stored[keys.AttrVersion].S != "1" {
		t.Errorf("version %v, %v; want 1", stored[keys.AttrVersion], err)
	}
}

func TestFromRow_RejectsARowOfANewerVersion(t *testing.T) {
	r := row()
	r.V = item.Version + 1
	if stored, err := item.FromRow(&r); !errors.Is(err, item.ErrNewer) || stored != nil {
		t.Errorf("stored %v, %v; want ErrNewer", stored, err)
	}
}

func TestFromRow_RejectsATooLargeRow(t *testing.T) {
	wide := model.Event{Series: series(), Attrs: make(model.Attrs, 2000)}
	for i := range wide.Attrs {
		wide.Attrs[i] = model.Attr{Name: fmt.Sprintf("%064d", i),
			Value: model.NumberValue(model.NewDecimal(int64(i)))}
	}
	fold := rollup.NewFold(&rollup.Spec{MaxMeasures: len(wide.Attrs)})
	fold.AddEvent(&wide)
	r := row()
	r.Fold = *fold
	stored, err := item.FromRow(&r)
	if !errors.Is(err, item.ErrRowTooLarge) || stored != nil ||
		!strings.Contains(err.Error(), "declare fewer dimensions") {
		t.Errorf("a row of 2,000 measures: %v, want ErrRowTooLarge", err)
	}
}

func TestFromRow_SharesNoMemoryWithTheRow(t *testing.T) {
	r := row()
	stored, err := item.FromRow(&r)
	if err != nil {
		t.Fatal(err)
	}
	r.Rev[0]++
	r.Digest[0]++
	if stored[tablekeys.AttrRev].B[0] == r.Rev[0] || stored[tablekeys.AttrDigest].B[0] == r.Digest[0] {
		t.Error("a change of the row changed the item")
	}
}

func TestRow_OfANewerVersionHasItsKeyAndNoSummary(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	it := with(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"})
	it[tablekeys.AttrSummary] = item.Value{Type: item.S, S: "another form"}
	got, err := item.Row(it)
	want := rollup.Row{Key: r.Key, Rev: r.Rev, V: 2, ExpiresAt: r.ExpiresAt}
	if diff := cmp.Diff(want, got, sameEntity); !errors.Is(err, item.ErrNewer) || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestRow_WithASummaryOfANewerVersionIsNewer(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	encoded := r.Summary.Encode(nil)
	encoded[0] = rollup.Version + 1
	if got, err := item.Row(with(stored, tablekeys.AttrSummary,
		item.Value{Type: item.B, B: encoded})); !errors.Is(err, item.ErrNewer) || got.Summary != nil {
		t.Errorf("%v, want ErrNewer and no summary", err)
	}
}

func TestRow_DamagedHasItsKeyAndRevision(t *testing.T) {
	r := row()
	r.Continuation = rollup.Continuation{Events: 1, From: r.Key.Start, Last: r.Key.Start, Settles: r.Key.Start}
	stored, _ := item.FromRow(&r)
	check := func(name string, it item.Item) {
		t.Helper()
		got, err := item.Row(it)
		want := rollup.Row{Key: r.Key, Rev: r.Rev, V: item.Version, ExpiresAt: r.ExpiresAt}
		if diff := cmp.Diff(want, got, sameEntity); !errors.Is(err, item.ErrDamaged) || diff != "" {
			t.Errorf("%s: %v, (-want +got):\n%s", name, err, diff)
		}
	}
	for _, attr := range []string{tablekeys.AttrSummary, tablekeys.AttrDigest, tablekeys.AttrExact,
		tablekeys.AttrWrittenAt} {
		check("without "+attr, without(stored, attr))
		for name, v := range wrongValues {
			check(attr+" made "+name, with(stored, attr, v))
		}
	}
	for _, attr := range []string{tablekeys.AttrCarried, tablekeys.AttrSourceLast, tablekeys.AttrSettles} {
		check("derived events without "+attr, without(stored, attr))
	}
	for _, attr := range []string{tablekeys.AttrUntil, tablekeys.AttrUnreadable, tablekeys.AttrEmpty,
		tablekeys.AttrLag} {
		for _, name := range []string{"of another type", "a word", "short bytes", "null", "a fraction"} {
			check(attr+" made "+name, with(stored, attr, wrongValues[name]))
		}
	}
	check("summary cut short",
		with(stored, tablekeys.AttrSummary, item.Value{Type: item.B, B: stored[tablekeys.AttrSummary].B[:5]}))
	check("summary emptied", with(stored, tablekeys.AttrSummary, item.Value{Type: item.B, B: []byte{}}))
}

func TestRow_WithoutRevisionOrVersionIsDamaged(t *testing.T) {
	r := row()
	stored, _ := item.FromRow(&r)
	for _, it := range []item.Item{
		without(stored, tablekeys.AttrRev), with(stored, tablekeys.AttrRev, wrongValues["short bytes"]),
		without(stored, keys.AttrVersion), with(stored, keys.AttrVersion, wrongValues["negative"]),
	} {
		if got, err := item.Row(it); !errors.Is(err, item.ErrDamaged) || got.Key != r.Key || got.Summary != nil {
			t.Errorf("%v, %v; want ErrDamaged with the key", got, err)
		}
	}
}

func TestRow_EmptyNeedsNoSummary(t *testing.T) {
	stored, err := item.FromRow(
		&rollup.Row{Key: row().Key, Empty: true, Fold: rollup.Fold{ChildrenExpireAt: rollup.NoExpiry}})
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
	for _, sk := range []string{"", "AGG#hour#READING#status#2026-04-20",
		"EVENT#READING##2026-04-20T14:00:00.000Z#7"} {
		if _, err := item.Row(with(stored, keys.AttrSK, item.Value{Type: item.S, S: sk})); !errors.Is(err,
			keys.ErrKeyForm) {
			t.Errorf("sort key %q: %v, want ErrKeyForm", sk, err)
		}
	}
}

func TestFromRow_AcceptsARowOfTheLargestSize(t *testing.T) {
	stored := func(more int) (item.Item, error) {
		e := model.Event{Series: series()}
		for i := range 300 {
			e.Attrs = append(e.Attrs,
				model.Attr{Name: fmt.Sprintf("f%04d%0300d", i, 0), Value: model.NumberValue(model.NewDecimal(int64(i)))})
		}
		e.Attrs[299].Name += strings.Repeat("x", more)
		fold := rollup.NewFold(&rollup.Spec{MaxMeasures: len(e.Attrs)})
		fold.AddEvent(&e)
		r := row()
		r.Fold = *fold
		return item.FromRow(&r)
	}
	base, err := stored(0)
	if err != nil {
		t.Fatal(err)
	}
	missing := rollup.MaxRowBytes - base.Size()
	for missing > 0 {
		it, err := stored(missing)
		if err != nil || it.Size() == rollup.MaxRowBytes {
			break
		}
		missing += rollup.MaxRowBytes - it.Size()
	}
	if it, err := stored(missing); err != nil || it.Size() != rollup.MaxRowBytes {
		t.Errorf("a row of %d bytes: %v, want it stored", it.Size(), err)
	}
	if _, err := stored(missing + 1); !errors.Is(err, item.ErrRowTooLarge) {
		t.Errorf("a row of one byte more: %v, want ErrRowTooLarge", err)
	}
}
