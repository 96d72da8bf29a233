package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/testenv"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){"tidemark": main, "earlier": earlier})
}

// earlier runs a command of Tidemark with a clock that is behind: "earlier 3h config apply" is what
// would have been done three hours ago.
func earlier() {
	behind, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	wallClock = func() model.Time { return model.TimeOf(time.Now().Add(-behind)) }
	os.Args = append(os.Args[:1], os.Args[2:]...)
	main()
}

// suite stops DynamoDB Local, if a test has started it, after all tests.
type suite struct{ *testing.M }

// database is the server that the tests share.
var database *ddblocal.Server

func (s suite) Run() int {
	code := s.M.Run()
	if database != nil {
		database.Stop()
	}
	return code
}

// localDatabase returns DynamoDB Local; the test is skipped if it is not installed.
func localDatabase(t *testing.T) *ddblocal.Server {
	t.Helper()
	database = ddblocal.ForTest(t)
	return database
}

// TestScripts runs the command lines of testdata/script and compares their output and exit
// statuses with the expected ones.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireUniqueNames: true})
}

// TestStackScripts runs the scripts that need the stack, all on one DynamoDB Local.
func TestStackScripts(t *testing.T) {
	database := localDatabase(t)
	binaries, err := local.FindBinaries(context.Background(), "", "ingest", "aggregate", "query", "manage", "purge")
	if errors.Is(err, local.ErrNoBinaries) {
		testenv.Missing(t, "binaries", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/stack", RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FUNCTIONS", filepath.Dir(filepath.Dir(binaries["ingest"])))
			env.Setenv("TIDEMARK_ENDPOINT", database.Endpoint)
			env.Setenv("TIDEMARK_TABLE", fmt.Sprintf("%s-%d", filepath.Base(env.WorkDir), time.Now().UnixNano()))
			env.Setenv("HOME", os.TempDir())
			return nil
		},
	})
}
