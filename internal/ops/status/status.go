// Package status reads what a person who is woken at night needs first: which part of a table and its stack
// works, which part needs a person and why, and the command to run. Each part is read by itself, so that one
// which cannot be read hides no other. What cannot be known is reported as not known, never as zero.
package status

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/deployment"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// State says whether a part needs a person.
type State string

// The states.
const (
	Well     State = "ok"
	Act      State = "ACT"       // a person has to do something
	NotKnown State = "not known" // nothing tells, and nothing failed
	Unread   State = "unread"    // it could not be read: whether it is well is not known
)

// Line is what is known of one part.
type Line struct {
	Part    string
	State   State
	Text    string
	Command string // what to run next; "" if nothing
}

// NeedsPerson reports whether a line needs a person.
func NeedsPerson(lines []Line) bool { return Count(lines, Act)+Count(lines, Unread) > 0 }

// Count returns how many lines have a state.
func Count(lines []Line, state State) (n int) {
	for _, l := range lines {
		if l.State == state {
			n++
		}
	}
	return n
}

// Table is the part of a table that a Reader reads.
type Table interface {
	query.TableStore
	tablescan.Table
	// Invalidations reads one page of the invalidations of a queue shard that are due up to a time.
	Invalidations(
		ctx context.Context, shard storage.QueueShard, dueUpTo model.Time, after string,
	) (storage.InvalidationPage, error)
}

// Reader reads the state of one table, and of the stack or the local dev that it belongs to. All fields are
// required, except Stack and Local: with neither, only what the table itself says is known.
type Reader struct {
	Table Table
	Kinds *catalog.Catalog
	Now   func() model.Time
	Stack *Stack
	Local *Local
}

// Local is a "tidemark dev" of this machine.
type Local struct {
	Dir        string // of its logs and its on-failure file
	MappingOff bool   // nothing is delivered to aggregate, because it was disabled
}

// parts are the parts of the screen, in its order. A part without a line does not exist here.
var parts = []struct {
	name string
	read func(*Reader, context.Context) ([]Line, error)
}{
	{"table stream", (*Reader).stream},
	{"low watermark", (*Reader).watermark},
	{"rows", (*Reader).rows},
	{"on-failure queue", (*Reader).onFailure},
	{"undelivered queue", (*Reader).undelivered},
	{"inbox queue", (*Reader).inbox},
	{"quarantine", (*Reader).quarantine},
	{"alarms", (*Reader).alarms},
	{"restore", (*Reader).restore},
	{"cost", (*Reader).cost},
}

// Read returns the lines of all parts. Errors are lines.
func (r *Reader) Read(ctx context.Context) (all []Line) {
	for _, p := range parts {
		lines, err := p.read(r, ctx)
		if err != nil {
			lines = append(lines, Line{State: Unread, Text: err.Error()})
		}
		for _, l := range lines {
			l.Part = p.name
			all = append(all, l)
		}
	}
	return all
}

// only returns one line.
func only(state State, command, format string, args ...any) []Line {
	return []Line{{State: state, Text: fmt.Sprintf(format, args...), Command: command}}
}

// ago returns an age in words.
func ago(at, now model.Time) string { return now.Sub(at).Round(time.Second).String() + " ago" }

// logs returns the command that shows the newest log lines of a function; "" if they may be anywhere.
func (r *Reader) logs(function string) string {
	switch {
	case r.Stack != nil:
		return fmt.Sprintf("aws logs tail /aws/lambda/%s-%s --since 1h", r.Stack.Name, function)
	case r.Local != nil:
		return fmt.Sprintf("tail %s/logs/%s.log", r.Local.Dir, function)
	}
	return ""
}

// health returns what CloudWatch says of the stack; nil without a stack.
func (r *Reader) health(ctx context.Context) (*deployment.Health, error) {
	if r.Stack == nil {
		return nil, nil
	}
	return r.Stack.health(ctx, r.Now().Time())
}
