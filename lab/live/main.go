// Package live checks a real deployment once, on a stage made for it: what the documentation and the
// decisions assume of AWS, probe by probe, then a smoke test, an oracle, and what was billed. The
// probes are rows: docs/run/LIVE-CHECK.md lists them with the page that each defends.
//
// As a command it deploys a stage, checks it, removes it and writes a report. Each step that is done is
// in a journal: a run that is interrupted is continued by the next one, which removes everything at its
// end. As a test it runs the same probes on DynamoDB Local and on the local stack, or on recorded responses
// of AWS, right ones and wrong ones.
package live

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// Command returns the program of make live-check. The exit status is 1 if a probe does
// not hold, and 2 if something is left in the account.
func Command() *cobra.Command {
	var stage string
	var remove bool
	cmd := &cobra.Command{
		Use: "live-check", Args: cobra.NoArgs,
		Short: "Deploy a new stage to AWS, probe what the documentation assumes, and remove it",
		RunE: func(cmd *cobra.Command, _ []string) error {
			status, err := check(cmd.Context(), stage, remove)
			if err != nil {
				return &failure{status, err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&stage, "stage", "", "`name` of the stage, which must not exist")
	cmd.Flags().BoolVar(&remove, "remove", false, "skip the checks that are left, and only remove the stage")
	return cmd
}

// failure is an error with its exit status.
type failure struct {
	status int
	error
}

// ExitStatus returns the exit status of the program.
func (f *failure) ExitStatus() int { return f.status }

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
