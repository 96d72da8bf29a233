package ddblocal

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/testenv"
)

// shared is the one server of a test process: tests keep apart by table names.
var shared struct {
	once   sync.Once
	server *Server
	err    error
}

// ForTest is a server shared by all tests of the process, started by the first that
// calls it. Without the jar or Java the test is skipped, or fails if TIDEMARK_REQUIRE
// names java. A package that calls it ends its tests by Main.
func ForTest(t testing.TB) *Server {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = Start(context.Background(), FromEnv()) })
	if errors.Is(shared.err, ErrMissing) {
		testenv.Missing(t, "java", shared.err)
	}
	if shared.err != nil {
		t.Fatalf("DynamoDB Local: %v", shared.err)
	}
	return shared.server
}

// Main runs the tests of a package, then stops the shared server if one was
// started. Its place is TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.server.Stop()
	}
	os.Exit(code)
}
