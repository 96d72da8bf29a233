package requests

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
)

// trip is how long a request takes, on the clock of a synctest bubble: so the time that an invocation takes
// is the number of its requests that wait for each other.
const trip = time.Second

// counter sends requests to a table in the process, and counts them by operation. It is safe for concurrent
// use.
type counter struct {
	table *protocol.Server

	mu   sync.Mutex
	sent map[string]int // by operation; guarded by mu
}

// Do sends a request.
func (c *counter) Do(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	c.mu.Lock()
	c.sent[operation]++
	c.mu.Unlock()
	time.Sleep(trip)
	w := httptest.NewRecorder()
	c.table.ServeHTTP(w, r)
	return w.Result(), nil
}

// cost is what an invocation sends.
type cost struct {
	requests map[string]int // by operation
	trips    int            // requests that wait for each other
}

// of returns what an invocation sends.
func (c *counter) of(invoke func() error) (cost, error) {
	clear(c.sent)
	began := time.Now()
	err := invoke()
	return cost{requests: maps.Clone(c.sent), trips: int(time.Since(began) / trip)}, err
}

func (c cost) total() (n int) {
	for _, of := range c.requests {
		n += of
	}
	return n
}

// String returns the cost as in the table: 3 in 2: GetItem 1, PutItem 2.
func (c cost) String() string {
	if len(c.requests) == 0 {
		return "none"
	}
	var parts []string
	for _, operation := range slices.Sorted(maps.Keys(c.requests)) {
		parts = append(parts, fmt.Sprint(operation, " ", c.requests[operation]))
	}
	return fmt.Sprintf("%d in %d: %s", c.total(), c.trips, strings.Join(parts, ", "))
}
