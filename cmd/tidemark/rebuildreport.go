package main

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
)

// told gathers the rows that did not hold what their children say.
type told struct {
	mu    sync.Mutex // guards notes
	notes []aggregate.Note
}

func newTold() *told { return &told{} }

// take keeps what is shown, and no more of what may be millions.
func (t *told) take(n aggregate.Note) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.notes) < shownDifferences {
		t.notes = append(t.notes, n)
	}
}

func (t *told) print(w io.Writer, all int) {
	lines := make([]string, len(t.notes))
	for i, n := range t.notes {
		lines[i] = fmt.Sprintf("%s %s %s: %s", n.Key.Series, n.Key.Tier, n.Key.Start, n.Text)
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	if more := all - len(lines); more > 0 {
		fmt.Fprintf(w, "… and %s more\n", grouped(more))
	}
}

func (r *rebuilder) print(w io.Writer, dryRun bool) {
	changed := "changed"
	if dryRun {
		changed = "would change"
	}
	fmt.Fprintf(w, "looked at %s buckets of %s series in %s: %s %s, %s sealed, %s not made\n",
		grouped(r.Looks), grouped(r.series), time.Since(r.began).Round(10*time.Millisecond),
		grouped(r.Changed), changed, grouped(r.Sealed), grouped(r.NotMade))
	r.told.print(w, r.Changed)
	for _, f := range r.Failures {
		fmt.Fprintf(w, "passed over: %v\n", f.Err)
	}
	if dryRun && r.Changed > 0 {
		fmt.Fprintln(w, "nothing was written; coarser rows over these follow them")
	}
}

// verdict is how the rebuild ends.
func (r *rebuilder) verdict(err error, dryRun bool) error {
	switch {
	case err != nil:
		return err
	case len(r.Failures) > 0:
		return fmt.Errorf("%d buckets were passed over: a newer version wrote them; rebuild them with that version", len(r.Failures))
	case dryRun && r.Changed > 0:
		return checkFailed
	}
	return nil
}
