package sessions_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// listSources returns the views of a visitor in the range that sessions of a span depend on.
func listSources(k *catalog.Kind, span sessions.Span, views []model.Event, visitor string,
	newest bool) iter.Seq2[model.Event, error] {
	from := span.Sources(k)
	var kept []model.Event
	for _, v := range views {
		if who, _ := v.Attrs.Get(webfield.Visitor); who.Text == visitor && v.At >= from.From && v.At < from.To {
			kept = append(kept, v)
		}
	}
	if newest {
		slices.Reverse(kept)
	}
	return func(yield func(model.Event, error) bool) {
		for _, v := range kept {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// cutText is a session as text.
func cutText(e *model.Event) string {
	get := func(name string) string {
		v, _ := e.Attrs.Get(name)
		return v.String()
	}
	return fmt.Sprint(e.At, " ", get(webfield.Views), " ", get(webfield.Duration), " ", get(webfield.Bounce),
		" ", get(webfield.Entry), " ", get(webfield.Exit))
}

// recountCut counts the sessions of a visitor that begin in a span, by the recount of each hour.
func recountCut(views []model.Event, visitor string, span sessions.Span) (all []string) {
	mine := slices.DeleteFunc(slices.Clone(views), func(v model.Event) bool {
		who, _ := v.Attrs.Get(webfield.Visitor)
		return who.Text != visitor
	})
	for hour := tier.Hour.BucketAt(span.From); hour.Start < span.To; hour = tier.Hour.BucketAt(hour.End) {
		for _, s := range recount(mine, hour).sessions {
			begin := model.Time(int64(s.last) - s.duration)
			if begin >= span.From && begin < span.To {
				all = append(all, fmt.Sprintf("%s %d %d %d %q %q", begin, s.views, s.duration, s.bounce, s.entry, s.exit))
			}
		}
	}
	slices.Sort(all)
	return all
}

func TestCut_EqualsARecountInBothDirections(t *testing.T) {
	k := kind(t)
	rapid.Check(t, func(t *rapid.T) {
		views := anyViews().Draw(t, "views")
		from := noon.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "from")) * 10 * time.Minute)
		span := sessions.Span{From: from,
			To: from.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "slots")) * 10 * time.Minute)}
		for _, visitor := range []string{"a", "b"} {
			want := recountCut(views, visitor, span)
			for _, newest := range []bool{false, true} {
				found, err := paging.Collect(
					sessions.Cut(k, series, visitor, span, listSources(k, span, views, visitor, newest)))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, s := range found {
					if s.Series != series || s.ID != visitor || s.ExpiresAt == 0 {
						t.Fatalf("a session of %s has series %s, id %q, expiry %d", visitor, s.Series, s.ID, s.ExpiresAt)
					}
					got = append(got, cutText(&s))
				}
				if newest {
					slices.Reverse(got)
				}
				if !slices.IsSorted(got) || !slices.Equal(got, want) {
					t.Fatalf("%s from %s to %s, newest first %v:\n got %q\nwant %q", visitor, span.From, span.To, newest,
						got, want)
				}
			}
		}
	})
}

// A caller that takes one session reads no further than its end.
func TestCut_ReadsNoFurtherThanItsCallerTakes(t *testing.T) {
	k := kind(t)
	for _, newest := range []bool{false, true} {
		read := 0
		many := func(yield func(model.Event, error) bool) {
			for i := range 100 {
				at := noon.Add(time.Duration(i) * time.Hour)
				if newest {
					at = noon.Add(-time.Duration(i) * time.Hour)
				}
				if read++; !yield(view(at, "v", "a", "/"), nil) {
					return
				}
			}
		}
		for s, err := range sessions.Cut(k, series, "a",
			sessions.Span{From: noon.Add(-200 * time.Hour), To: noon.Add(200 * time.Hour)}, many) {
			if s.At != noon || err != nil {
				t.Fatalf("the first session is at %s, %v", s.At, err)
			}
			break
		}
		if read != 2 {
			t.Errorf("%d events were read for one session, want 2", read)
		}
		past := sessions.Span{From: noon, To: noon + 1} // what follows is outside the span
		if found, err := paging.Collect(sessions.Cut(k, series, "a", past, many)); err != nil || len(found) != 1 {
			t.Errorf("%d sessions, %v", len(found), err)
		}
		if read != 5 {
			t.Errorf("%d more events were read for a span of one session, want 3", read-2)
		}
	}
}

func TestCut_ReportsFailuresAndUnreadableEvents(t *testing.T) {
	k := kind(t)
	broken, unreadable := errors.New("broken"), view(noon, "v", "a", "/")
	unreadable.Unreadable = true
	events := func(yield func(model.Event, error) bool) {
		if yield(unreadable, nil) && yield(view(noon.Add(time.Hour), "w", "a", "/"), nil) {
			yield(model.Event{}, broken)
		}
	}
	var got []string
	for s, err := range sessions.Cut(k, series, "a", sessions.Span{From: noon, To: noon.Add(tier.Day24)},
		events) {
		got = append(got, fmt.Sprint(s.At, s.Unreadable, err))
	}
	if want := []string{fmt.Sprint(noon, true, nil),
		fmt.Sprint(model.Time(0), false, broken)}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
