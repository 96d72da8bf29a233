package exhaustive

import (
	"runtime"
	"slices"
	"strings"
)

// callerPhase returns where in its code the caller asks, by the stack.
func callerPhase() phase {
	var pcs [24]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	at := anywhere
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "aggregate.(*recomputation).firstRow"):
			return beginning
		case strings.HasSuffix(f.Function, "aggregate.(*recomputation).attempt"):
			at = attempt
		}
		if !more {
			return at
		}
	}
}

// forget returns the state of a process that remembers the same, for a process that begins
// an attempt or waits for a batch. What an attempt has read, and whether it lost, is
// forgotten with it: only the row that it wrote matters. A function that waits for a batch
// remembers the invalidations that it has put or found, and the reading of the clock after each.
// States that remember the same are one, which keeps the number of states small.
func (p *processes) forget(l *local) *local {
	l.forgot.Do(func() { l.remembers = p.remembering(l) })
	return l.remembers
}

func (p *processes) remembering(l *local) *local {
	next := p.next(l)
	var kept []string
	var after *response // the response after at's
	for at := l; at.parent != nil; at = at.parent {
		r := p.next(at.parent)
		switch {
		case next.kind == idle:
			found := strings.HasPrefix(at.last.text, invalidationsFound)
			if (r.kind == writes || found) && r.phase == anywhere {
				kept = append(kept, r.text+at.last.text+after.text)
			}
		case r.phase == anywhere && r.kind != nonce:
			kept = append(kept, r.text+at.last.text)
		case r.row != "" && at.last.wrote:
			kept = append(kept, "wrote "+r.row)
		}
		after = at.last
	}
	if next.kind == idle {
		slices.Sort(kept)
		kept = slices.Compact(kept)
	}
	key := l.name + next.text + strings.Join(kept, "\n")
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.forgetful[key]
	if known == nil {
		known = &local{id: p.count.Add(1), parent: l.parent, last: l.last, name: l.name, body: l.body,
			depth: l.depth, then: map[*response]*local{}}
		p.forgetful[key] = known
	}
	return known
}
