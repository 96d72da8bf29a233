// Package ddbtest has one DynamoDB Local for the tests of a process.
package ddbtest

import (
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"

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
	server *ddblocal.Server
	err    error
}

// ForTest returns a server shared by all tests of the process. The first call starts it. If the jar
// or Java is missing, the test is skipped, or fails if TIDEMARK_REQUIRE contains java. A package
// that calls it must call Main in TestMain.
func ForTest(t testing.TB) *ddblocal.Server {
	t.Helper()
	shared.once.Do(func() {
		shared.server, shared.err = ddblocal.Start(context.Background(), ddblocal.FromEnv())
	})
	if errors.Is(shared.err, ddblocal.ErrMissing) {
		testenv.Missing(t, "java", shared.err)
	}
	if shared.err != nil {
		t.Fatalf("DynamoDB Local: %v", shared.err)
	}
	return shared.server
}

// Main runs the tests of a package and stops the shared server. Call it in TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.server.Stop()
	}
	os.Exit(code)
}
