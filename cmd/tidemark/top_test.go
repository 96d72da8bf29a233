package main

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestLast_ReplacesFromAndTo(t *testing.T) {
	now := model.Time(1_776_695_400_000)
	flags := readFlags{last: times.Span(5 * time.Minute)}
	from, to, err := flags.bucketRange(tier.Minute, now)
	if wantFrom, wantTo := query.Last(5*time.Minute, tier.Minute, now); err != nil || from != wantFrom ||
		to != wantTo {
		t.Errorf("%s to %s, %v; want %s to %s", from, to, err, wantFrom, wantTo)
	}
	for _, flags := range []readFlags{{last: 1, from: "2026-04-20"}, {last: 1, to: "2026-04-20"}} {
		if _, _, err := flags.bucketRange(tier.Minute, now); exitStatus(err) != exitUsage {
			t.Errorf("%+v: %v, want a usage error", flags, err)
		}
	}
}

// A subject without events, as a misspelt one is, does not look like one without frequent values.
func TestTop_SaysThatASubjectHasNoEvents(t *testing.T) {
	b := newBench(t)
	b.expect(0, []string{"top", "sites/mispelt", "path", "--kind", "pageviews"}, "has no events: check the id")
}
