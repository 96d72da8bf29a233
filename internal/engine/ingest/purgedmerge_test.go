package ingest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A purge that begins between the collision and its merge ends the call: this event and those after
// it are gone, and nothing is stored of them.
func TestMerge_APurgeThatBeginsBeforeTheMergeEndsTheCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event int // that is merged into: an older one, or the latest item's
		lock  func(*memory.Table, model.Series)
	}{
		"the subject is locked": {1, func(m *memory.Table, s model.Series) { setPurgeLock(t, m, s.Subject) }},
		"the series is locked": {2, func(m *memory.Table, s model.Series) {
			set(t, m, s, tablekeys.AttrPurgeLock, item.Value{Type: item.Bool, Bool: true})
		}},
	} {
		kind, m := newKind(t, mergingWith(keeping)), memory.New(clock)
		appendAll(t, serviceOn(m, 1), kind, observation(minute(1), "", num("t", 1)),
			observation(minute(2), "", num("t", 2)))
		store := &beforeMerge{Table: m, do: func() { c.lock(m, series(kind)) }}
		got := appendAll(t, serviceOn(store, 2), kind, observation(minute(c.event), "", num("h", 3)),
			observation(minute(4), "", num("t", 4)))
		wantOutcomes(t, got, model.Gone, model.Gone)
		if all := readEvents(t, m, series(kind)); store.do != nil || len(all) != 2 ||
			len(all[c.event-1].Attrs) != 1 {
			t.Errorf("%s: stored %+v, want the two events as they were", name, all)
		}
	}
}

// An event of a kind without a time is ordered by a field, which it must have.
func TestValidation_TheOrderValueIsRequired(t *testing.T) {
	t.Parallel()
	for _, order := range []catalog.OrderType{catalog.TextOrder, catalog.NumberOrder} {
		kind := newKind(t, func(k *catalog.Kind) {
			*k = catalog.Kind{Name: "READING", Subject: k.Subject, OrderBy: "seq", OrderType: order,
				Latest: catalog.NoLatest, Retention: k.Retention}
			k.Retention.Tiers = nil
		})
		right, wrong := text("seq", "a"), num("seq", 1)
		if order == catalog.NumberOrder {
			right, wrong = wrong, right
		}
		for name, c := range map[string]struct {
			fields []model.Attr
			code   string
		}{
			"as declared":    {[]model.Attr{right}, ""},
			"left out":       {nil, ingest.CodeMissing},
			"null":           {[]model.Attr{{Name: "seq"}}, ingest.CodeWrongType},
			"another type":   {[]model.Attr{wrong}, ingest.CodeWrongType},
			"empty":          {[]model.Attr{text("seq", "")}, map[bool]string{true: ingest.CodeMissing, false: ingest.CodeWrongType}[order == catalog.TextOrder]},
			"a control code": {[]model.Attr{text("seq", "a\x01")}, map[bool]string{true: ingest.CodeControlCharacter, false: ingest.CodeWrongType}[order == catalog.TextOrder]},
		} {
			r := appendAll(t, serviceOn(memory.New(clock), 1), kind,
				observation(0, "", append([]model.Attr{num("a", 1)}, c.fields...)...))[0]
			switch {
			case c.code == "" && r.Outcome != model.Applied:
				t.Errorf("%s, %s: %s %v, want applied", order, name, r.Outcome, r.Errors)
			case c.code != "" && (r.Outcome != model.Rejected || len(r.Errors) != 1 || r.Errors[0].Code != c.code ||
				r.Errors[0].Field != "seq"):
				t.Errorf("%s, %s: %s %v, want rejected with %s", order, name, r.Outcome, r.Errors, c.code)
			case c.code == ingest.CodeMissing || c.code == ingest.CodeWrongType:
				if m := r.Errors[0].Message; !strings.Contains(m, "events of READING are ordered by it") ||
					!strings.HasSuffix(m, "send a "+
						map[catalog.OrderType]string{catalog.TextOrder: "string", catalog.NumberOrder: "number"}[order]) {
					t.Errorf("%s, %s: %q does not say why and what to send", order, name, m)
				}
			}
		}
	}
}

// beforeMerge lets something happen before the first merge.
type beforeMerge struct {
	*memory.Table
	do func()
}

func (b *beforeMerge) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if do := b.do; tx.Merge != nil && do != nil {
		b.do = nil
		do()
	}
	return b.Table.Append(ctx, tx)
}
