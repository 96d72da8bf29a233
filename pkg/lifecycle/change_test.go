package lifecycle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestChange_OfMoreItemsThanATransactionHoldsIsRefusedBeforeItIsSent(t *testing.T) {
	spec := catalog.Profile{Versions: catalog.Versions{Keep: true}}
	var a, b model.Attrs
	for i := range 97 {
		name := fmt.Sprintf("f%02d", i)
		spec.Unique = append(spec.Unique, catalog.Unique{Name: name, Fields: []string{name}})
		a, b = append(a, fields(name, "a")...), append(b, fields(name, "b")...)
	}
	w := newWorld(t, spec)
	if out, err := w.Create(t.Context(), alice, a); !errors.Is(err, lifecycle.ErrTooManyItems) || out.Verdict != lifecycle.Unknown {
		t.Errorf("create of 101 items: %s, %v; want ErrTooManyItems", out.Verdict, err)
	}
	w.spec.Unique = w.spec.Unique[:96]
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, a)), nil)
	sent := w.faulty.Attempted()
	if _, err := w.Update(t.Context(), alice, b, 0); !errors.Is(err, lifecycle.ErrTooManyItems) {
		t.Errorf("update of 195 items: %v, want ErrTooManyItems", err)
	}
	if got := w.faulty.Attempted(); got != sent {
		t.Errorf("%d requests were sent for it", got-sent)
	}
}

// Each change comes to the same whatever befalls any one of its writes.
func TestChange_EachFaultAtEachWriteChangesNothing(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		before func(*world)
		change func(*world) (lifecycle.Outcome, error)
		want   lifecycle.Verdict
	}{
		"create": {func(*world) {}, func(w *world) (lifecycle.Outcome, error) { return w.Create(ctx, alice, someone) }, lifecycle.Created},
		"update": {func(w *world) { w.verdict(w.Create(ctx, alice, someone)) }, func(w *world) (lifecycle.Outcome, error) {
			return w.Update(ctx, alice, fields("email", "new@x", "team", ""), 1)
		}, lifecycle.Updated},
		"delete": {func(w *world) { w.verdict(w.Create(ctx, alice, someone)) }, func(w *world) (lifecycle.Outcome, error) {
			return w.Delete(ctx, alice, 0)
		}, lifecycle.Deleted},
		"restore": {func(w *world) { w.verdict(w.Create(ctx, alice, someone)); w.verdict(w.Delete(ctx, alice, 0)) },
			func(w *world) (lifecycle.Outcome, error) { return w.Restore(ctx, alice, 2) }, lifecycle.Restored},
		"remove": {func(w *world) { w.verdict(w.Create(ctx, alice, someone)) }, func(w *world) (lifecycle.Outcome, error) {
			return w.Remove(ctx, alice, 1)
		}, lifecycle.Removed},
	} {
		calm := newWorld(t, employee)
		c.before(calm)
		calm.want(c.want, calm.verdict(c.change(calm)), nil)
		for _, fault := range storetest.Faults() {
			for n, hit := 0, true; hit; n++ {
				w := newWorld(t, employee)
				c.before(w)
				from := w.faulty.Attempted()
				hit = false
				w.faulty.Writes = func(call storetest.Call) storetest.Fault {
					if call.N != from+n {
						return storetest.Fine
					}
					hit = true
					return fault
				}
				w.want(c.want, w.verdict(c.change(w)), nil)
				w.faulty.Land()
				if diff := cmp.Diff(names(calm.items()), names(w.items())); diff != "" {
					t.Errorf("%s, %s at write %d (-calm +got):\n%s", name, fault, n, diff)
				}
				wantSound(w, alice, bob)
			}
		}
	}
}

func TestAdmission_NamesWhatIsWrong(t *testing.T) {
	long := strings.Repeat("x", 4097)
	for want, c := range map[string]struct {
		subject model.Subject
		fields  model.Attrs
	}{
		"missing":           {subject(""), nil},
		"too-long":          {subject(strings.Repeat("x", 513)), nil},
		"control-character": {subject("a\nb"), nil},
		"key-too-long":      {alice, fields("status", strings.Repeat("#", 1000))},
		"name-empty":        {alice, fields("", "x")},
		"name-reserved":     {alice, fields("deletedAt", "x")},
		"duplicate-name":    {alice, fields("a", "x", "a", "y")},
		"too-long ":         {alice, fields("a", long)},
		"invalid-utf8":      {alice, fields("a", "\xff")},
		"wrong-type":        {alice, model.Attrs{{Name: "status", Value: model.BoolValue(true)}}},
		"key-too-long ":     {alice, fields("email", strings.Repeat("%", 1000))},
	} {
		w := newWorld(t, employee)
		out := w.verdict(w.Create(t.Context(), c.subject, c.fields))
		if out.Verdict != lifecycle.Rejected || len(out.Errors) != 1 || out.Errors[0].Code != strings.TrimSpace(want) {
			t.Errorf("%s: verdict %s, %+v", want, out.Verdict, out.Errors)
		}
		if c.subject == alice {
			w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, nil)), nil)
			if out := w.verdict(w.Update(t.Context(), alice, c.fields, 0)); out.Verdict != lifecycle.Rejected {
				t.Errorf("%s: verdict %s of the update", want, out.Verdict)
			}
		}
	}
	many := model.Attrs{}
	for i := range 101 {
		many = append(many, fields(fmt.Sprint("f", i), "x")...)
	}
	w := newWorld(t, employee)
	w.want(lifecycle.Rejected, w.verdict(w.Create(t.Context(), alice, many)), nil)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, many[:60])), nil)
	w.want(lifecycle.Rejected, w.verdict(w.Update(t.Context(), alice, many[60:], 0)), nil)
}
