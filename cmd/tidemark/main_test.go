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

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tidemark": main, "earlier": earlier})
}

// earlier runs a command of Tidemark with a clock that is behind the dev's: "earlier 3h config apply" is
// what would have been done three hours ago.
func earlier() {
	behind, err := time.ParseDuration(os.Args[1])
	if err != nil {
		panic(err)
	}
	now := clock.FromEnv()
	wallClock = func() model.Time { return model.NewTime(now.Now().Add(-behind)) }
	os.Args = append(os.Args[:1], os.Args[2:]...)
	main()
}

// TestScripts runs the command lines of testdata/script and compares their output and exit
// statuses with the expected ones.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireUniqueNames: true})
}

// TestStackScripts runs the scripts that need the stack, all on one engine.
func TestStackScripts(t *testing.T) {
	t.Parallel()
	endpoint := enginetest.Endpoint(t)
	functions, err := stack.FindStackBinaries(context.Background(), config.Default())
	if errors.Is(err, stack.ErrNoBinaries) {
		testenv.Missing(t, "binaries", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/stack", RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("FUNCTIONS", functions)
			env.Setenv("TIDEMARK_ENDPOINT", endpoint)
			env.Setenv("TIDEMARK_TABLE", fmt.Sprintf("%s-%d", filepath.Base(env.WorkDir), time.Now().UnixNano()))
			env.Setenv("HOME", os.TempDir())
			return nil
		},
	})
}
