package linear

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/stack"
)

// killer sends SIGKILL to functions at random moments: at once, or at a moment of the next
// invocation. It counts requests to the database instead of time, so that a slow machine still
// makes progress.
type killer struct {
	draw      *rand.Rand
	functions []*stack.Function
	requests  *atomic.Int64 // to the database so far
}

// Requests to the database between two kills, and the interval at which they are counted.
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
			f.KillNext(stack.Running)
		case 2:
			f.KillNext(stack.Responding)
		}
	}
}

// deaths returns how many processes were killed at each moment.
func (k *killer) deaths() (at map[stack.Moment]int, all int) {
	at = map[stack.Moment]int{}
	for _, f := range k.functions {
		for _, d := range f.Deaths() {
			at[d.At]++
			all++
		}
	}
	return at, all
}

// unacknowledged returns the kills between the last write and the response.
func (k *killer) unacknowledged() int {
	at, _ := k.deaths()
	return at[stack.Responding]
}

func (k *killer) print(out io.Writer) {
	at, all := k.deaths()
	fmt.Fprintf(out, "kills     %d, of aggregate and ingest: %d during an invocation, %d between the "+
		"last write and the acknowledgement, %d between invocations\n",
		all, at[stack.Running], at[stack.Responding], at[stack.Idle])
}

// delay delays deliveries.
type delay struct {
	mu   sync.Mutex
	draw *rand.Rand // guarded by mu
	held int        // guarded by mu
}

const (
	delayedOneIn = 6
	longestDelay = 1500 * time.Millisecond
)

// hold delays one batch in a number of batches before it is delivered.
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
