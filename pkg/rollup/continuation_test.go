package rollup_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func anyContinuation() *rapid.Generator[rollup.Continuation] {
	return rapid.Custom(func(t *rapid.T) rollup.Continuation {
		small := func(what string) int64 { return rapid.Int64Range(0, 3).Draw(t, what) }
		c := rollup.Continuation{Events: small("events")}
		if c.Events > 0 {
			c.From = model.Time(small("from"))
			c.Carried = small("carried")
			c.Last = model.Time(small("last"))
			c.Reach, c.Settles = model.Time(small("reach")), model.Time(small("settles"))
		}
		return c
	})
}

func merged(all ...rollup.Continuation) (sum rollup.Continuation) {
	for _, c := range all {
		sum.Merge(c)
	}
	return sum
}

func TestContinuation_MergesAsAMonoid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyContinuation().Draw(t, "a")
		b := anyContinuation().Draw(t, "b")
		c := anyContinuation().Draw(t, "c")
		if merged(a, b) != merged(b, a) {
			t.Errorf("a+b = %+v, b+a = %+v", merged(a, b), merged(b, a))
		}
		if got, want := merged(merged(a, b), c), merged(a, merged(b, c)); got != want {
			t.Errorf("(a+b)+c = %+v, a+(b+c) = %+v", got, want)
		}
		if merged(a, rollup.Continuation{}) != a {
			t.Errorf("%+v with nothing is %+v", a, merged(a, rollup.Continuation{}))
		}
	})
}

func TestContinuation_IsCarriedIntoTheEarliestBucket(t *testing.T) {
	first := rollup.Continuation{Events: 4, From: 100, Carried: 2, Last: 150, Reach: 300, Settles: 900}
	next := rollup.Continuation{Events: 3, From: 200, Carried: 5, Last: 250, Reach: 280, Settles: 950}
	if got, want := merged(next, first),
		(rollup.Continuation{Events: 7, From: 100, Carried: 2, Last: 250, Reach: 300, Settles: 950}); got != want {
		t.Errorf("two buckets: %+v, want %+v", got, want)
	}
	if got := merged(first, first).Carried; got != 4 {
		t.Errorf("one bucket of two series: %d carried in, want 4", got)
	}
	if got := first.StartAt(100).Carried; got != 2 {
		t.Errorf("from its own start: %d carried in, want 2", got)
	}
	if got := first.StartAt(50); got.Carried != 0 || got.From != 50 {
		t.Errorf("from an earlier start: %+v, want none carried in", got)
	}
	if got := (rollup.Continuation{}).StartAt(50); got != (rollup.Continuation{}) {
		t.Errorf("of no derived events: %+v, want the zero value", got)
	}
}
