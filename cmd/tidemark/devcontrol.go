package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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
	method, body := http.MethodGet, []byte(nil)
	if change != nil {
		method = http.MethodPost
		if body, err = json.Marshal(change); err != nil {
			return state, err
		}
	}
	request, err := http.NewRequestWithContext(cmd.Context(), method, url+path, bytes.NewReader(body))
	if err != nil {
		return state, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return state, fmt.Errorf("ask the dev: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return state, fmt.Errorf("ask the dev: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return state, fmt.Errorf("ask the dev: %s: %s", response.Status, bytes.TrimSpace(text))
	}
	return state, json.Unmarshal(text, &state)
}
