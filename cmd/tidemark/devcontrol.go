package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
)

// control sends a change to a route of the dev that runs here, or asks for its state if change is nil. Where
// no dev runs, the error ends with what elsewhere says.
func control[T any](cmd *cobra.Command, to *connection, path string, change any, elsewhere string,
) (state T, err error) {
	url := devfile.Find().URL
	if os.Getenv(clock.Env) != "" { // of the command that a dev runs
		to.FromEnvironment()
		url = to.URL
	}
	if url == "" {
		return state, usagef("no tidemark dev runs here: %s", elsewhere)
	}
	if change != nil {
		return state, devfile.Change(cmd.Context(), url+path, change, &state)
	}
	return state, devfile.Ask(cmd.Context(), url+path, &state)
}
