// Package enginetest starts the engine of tidemark dev for tests that need a table and not the referee,
// which is DynamoDB Local. It starts in less than a millisecond.
package enginetest

import (
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Region is the region of the tables.
const Region = "us-east-1"

// shared is the engine of a test process.
var shared = sync.OnceValue(func() *httptest.Server {
	return httptest.NewServer(protocol.New(Region, func() model.Time { return model.NewTime(time.Now()) }))
})

// Endpoint returns the endpoint of an engine that all tests of the process share: each uses tables with
// names of its own. Items do not expire there, so a test may store events of any time. TIDEMARK_ENDPOINT
// names another DynamoDB to use.
func Endpoint(t testing.TB) string {
	t.Helper()
	if other := os.Getenv("TIDEMARK_ENDPOINT"); other != "" {
		return strings.TrimRight(other, "/")
	}
	return shared().URL
}

// Start starts an engine with a clock, which removes expired items and ends with the test.
func Start(t testing.TB, now func() model.Time) *protocol.Listener {
	t.Helper()
	l, err := protocol.Listen(protocol.New(Region, now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Stop)
	return l
}
