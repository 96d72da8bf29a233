package replay

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// outcomes in the order they are printed.
var outcomes = []model.Outcome{
	model.Applied, model.Late, model.Stale, model.Duplicate,
	model.Collision, model.Conflict, model.Gone, model.Rejected, storedBefore,
}

// storedBefore counts the duplicates among observations that were sent again after a lost response. They may
// be duplicates of their own first attempt, so they are not counted as duplicates of the input.
const storedBefore model.Outcome = "stored"

// shown is how many rejections, and how many observations with invalid values, are printed with their reason.
const (
	shownRejections = 5
	shownInvalid    = 3
)

// notes explain outcomes that a user must act on or does not know from the API.
var notes = map[model.Outcome]string{
	storedBefore: "  sent again after a lost response, and already stored",
	model.Collision: "  another event has the same time and id: tidemark event correct changes it, " +
		"or give these events ids",
}

// Counts counts outcomes. It may be used concurrently.
type Counts struct {
	mu         sync.Mutex
	count      map[model.Outcome]int // guarded by mu
	rejections []string              // guarded by mu; the first few, with their reasons

	byField map[string]*fieldCount // guarded by mu

	invalidCount int      // guarded by mu; observations with a measure that is not a number
	invalidFirst []string // guarded by mu; the first few
}

func (c *Counts) add(outcome model.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == nil {
		c.count = map[model.Outcome]int{}
	}
	c.count[outcome]++
}

func (c *Counts) reject(location, reason string) {
	c.add(model.Rejected)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rejections) < shownRejections {
		c.rejections = append(c.rejections, terminal.Printable(location+": "+reason))
	}
}

func (c *Counts) invalid(location string, measures []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.invalidCount++
	if len(c.invalidFirst) < shownInvalid {
		c.invalidFirst = append(c.invalidFirst, location+": "+strings.Join(measures, ", "))
	}
}

// Count returns how many observations had an outcome.
func (c *Counts) Count(outcome model.Outcome) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count[outcome]
}

// Total returns how many observations have an outcome.
func (c *Counts) Total() (n int) {
	for _, outcome := range outcomes {
		n += c.Count(outcome)
	}
	return n
}

// Print writes the counts, and why the first few rejected observations were rejected.
func (c *Counts) Print(w io.Writer, took time.Duration) { c.print(w, c.Total(), took) }

// print writes the counts, with the rate at which n observations were sent.
func (c *Counts) print(w io.Writer, n int, took time.Duration) {
	fmt.Fprintf(w, "%s observations in %s (%s/s)\n", terminal.Grouped(n), took.Round(100*time.Millisecond),
		terminal.Grouped(terminal.PerSecond(n, took)))
	for _, outcome := range outcomes {
		if n := c.Count(outcome); n > 0 {
			fmt.Fprintf(w, "  %-10s %12s%s\n", outcome, terminal.Grouped(n), notes[outcome])
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.invalidCount > 0 {
		fmt.Fprintf(w, "  invalid    %12s  observations with a measure that is not a number; "+
			"rollups count it as invalid; --strict rejects them\n", terminal.Grouped(c.invalidCount))
	}
	for _, first := range c.invalidFirst {
		fmt.Fprintf(w, "  invalid %s\n", first)
	}
	c.printFields(w)
	for _, reason := range c.rejections {
		fmt.Fprintf(w, "  rejected %s\n", reason)
	}
	if more := c.count[model.Rejected] - len(c.rejections); more > 0 && len(c.rejections) > 0 {
		fmt.Fprintf(w, "  … and %s more\n", terminal.Grouped(more))
	}
}
