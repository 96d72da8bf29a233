package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark-db/tidemark/internal/local"
)

// killer sends SIGKILL to functions, at moments that are drawn: at once, whatever the
// process does, or at a moment of its next invocation. Its clock is the traffic to the
// database, so that a slow machine is not killed to a standstill.
type killer struct {
	draw      *rand.Rand
	functions []*local.Function
	requests  *atomic.Int64 // to the database so far
}

// Requests to the database between two kills, and how often they are counted.
const (
	leastBetween = 20
	mostBetween  = 140
	glance       = 20 * time.Millisecond
)

func (k *killer) run(ctx context.Context) {
	for {
		next := k.requests.Load() + leastBetween + k.draw.Int64N(mostBetween-leastBetween)
		for k.requests.Load() < next {
			select {
			case <-ctx.Done():
				return
			case <-time.After(glance):
			}
		}
		f := k.functions[k.draw.IntN(len(k.functions))]
		switch k.draw.IntN(3) {
		case 0:
			f.Kill() // false: a new process is just starting
		case 1:
			f.KillNext(local.Running)
		case 2:
			f.KillNext(local.Answering)
		}
	}
}

// deaths are how many processes died at each moment.
func (k *killer) deaths() (at map[local.Moment]int, all int) {
	at = map[local.Moment]int{}
	for _, f := range k.functions {
		for _, d := range f.Deaths() {
			at[d.At]++
			all++
		}
	}
	return at, all
}

// unacknowledged are the kills that fell when all was written and nothing was said.
func (k *killer) unacknowledged() int {
	at, _ := k.deaths()
	return at[local.Answering]
}

func (k *killer) print(out io.Writer) {
	at, all := k.deaths()
	fmt.Fprintf(out, "kills     %d with those of the ingest function: %d in the middle of an invocation, %d between its last write and its acknowledgement, %d between invocations\n",
		all, at[local.Running], at[local.Answering], at[local.Idle])
}

// delay holds up deliveries.
type delay struct {
	mu   sync.Mutex
	draw *rand.Rand // guarded by mu
	held int        // guarded by mu
}

const (
	delayedOneIn = 6
	longestDelay = 1500 * time.Millisecond
)

// hold lets one batch in so many wait before the function gets it.
func (d *delay) hold([]byte) {
	d.mu.Lock()
	wait := time.Duration(0)
	if d.draw.IntN(delayedOneIn) == 0 {
		wait = time.Duration(d.draw.Int64N(int64(longestDelay)))
		d.held++
	}
	d.mu.Unlock()
	time.Sleep(wait)
}
