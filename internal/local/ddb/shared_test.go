package ddblocal

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// shared is the server of a test process. Tests use different table names.
var shared struct {
	once   sync.Once
	server *Server
	err    error
}

// forTest returns a server shared by all tests of the process. The first call starts it. If the jar
// or Java is missing, the test is skipped, or fails if TIDEMARK_REQUIRE contains java. A package
// that calls it must call Main in TestMain.
func forTest(t testing.TB) *Server {
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

// stopAfter runs the tests of a package and stops the shared server. Call it in TestMain.
func stopAfter(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.server.Stop()
	}
	os.Exit(code)
}
