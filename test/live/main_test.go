// Package live checks a real deployment once, on a stage made for it: what the documentation and the
// decisions assume of AWS, probe by probe, then a smoke test, an oracle, and what was billed. The
// probes are rows: docs/LIVE-CHECK.md lists them with the page that each defends.
//
// As a command it deploys a stage, checks it, removes it and writes a report. Each step that is done is
// in a journal: a run that is interrupted is continued by the next one, which removes everything at its
// end. As a test it runs the same probes on DynamoDB Local and on the local stack, or on recorded responses
// of AWS, right ones and wrong ones.
package live

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"testing"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/testenv"
)

// TestMain runs the command if TIDEMARK_COMMAND has its flags.
func TestMain(m *testing.M) {
	if _, given := os.LookupEnv("TIDEMARK_COMMAND"); !given {
		ddblocal.Main(m)
	}
	testenv.Main(m, command)
}

// command is what make live-check runs, from the module's root. The exit status is 1 if a probe does
// not hold, and 2 if something is left in the account.
func command(args []string) {
	flag := flag.NewFlagSet("live-check", flag.ExitOnError)
	stage := flag.String("stage", "", "`name` of the stage, which must not exist")
	remove := flag.Bool("remove", false, "skip the checks that are left, and only remove the stage")
	_ = flag.Parse(args) // it exits if it fails
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	status, err := check(ctx, *stage, *remove)
	if err != nil {
		fmt.Fprintln(os.Stderr, "live-check:", err)
	}
	stop()
	os.Exit(status)
}

func check(ctx context.Context, stage string, remove bool) (status int, err error) {
	a, err := newAccount(ctx, stage)
	if err != nil {
		return 2, err
	}
	r, err := openRun(a, "build/live-check", remove)
	if err != nil {
		return 2, err
	}
	if err := r.all(ctx); err != nil {
		return 2, fmt.Errorf("%w; make live-check STAGE=%s continues and removes the stage", err, stage)
	}
	if r.broken() {
		return 1, fmt.Errorf("not every check holds: see %s", r.report)
	}
	return 0, nil
}
