package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const clockHelp = `Move the clock of the dev that runs here

Move the clock of the table, the functions and the HTTP API of a "tidemark dev" forward, to
see what happens when time passes: hours close, the sweep writes their rows, TTL removes what
has expired, alerts resolve. The schedules run on the way, every ten hours, which takes about
a second for each ten hours. The command prints the new time. It is refused where no dev
runs: the clock of a deployment cannot be moved.

"tidemark dev --clock TIME" sets the clock at the start. It never goes back.

Examples:
  tidemark clock +48h
  tidemark clock +90m`

func clockCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:  "clock +DURATION",
		Long: clockHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := time.ParseDuration(strings.TrimPrefix(args[0], "+"))
			if err != nil || by < 0 || !strings.HasPrefix(args[0], "+") {
				return usagef("%q: want a duration after a plus, such as +48h or +90m: the clock moves forward",
					args[0])
			}
			url := devfile.Find().URL
			if os.Getenv(clock.Env) != "" { // of the command that a dev runs
				to.FromEnvironment()
				url = to.URL
			}
			if url == "" {
				return usagef("no tidemark dev runs here: the clock of a deployment cannot be moved. Start one with: tidemark dev --clock 2026-03-29T00:30Z")
			}
			now, err := moveClock(cmd, url, by)
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), now)
			}
			return err
		},
	}
}

// moveClock moves the clock of a dev, and returns its time.
func moveClock(cmd *cobra.Command, url string, by time.Duration) (model.Time, error) {
	body, err := json.Marshal(stack.ClockMove{By: by.String()})
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(cmd.Context(), http.MethodPost, url+stack.PathClock,
		bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("move the clock: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, fmt.Errorf("move the clock: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("move the clock: %s: %s", response.Status, bytes.TrimSpace(text))
	}
	var at stack.ClockTime
	err = json.Unmarshal(text, &at)
	return at.Now, err
}

// setClock returns the clock of a new dev. Without --clock it begins as the machine's.
func setClock(flags devFlags) (clock.Clock, error) {
	path, err := filepath.Abs(filepath.Join(flags.dir, "clock"))
	if err != nil {
		return clock.Clock{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return clock.Clock{}, err
	}
	c := clock.At(path)
	if flags.clock == "" {
		return c, c.Reset()
	}
	at, err := times.Parse(flags.clock)
	if err != nil {
		return c, usagef("--clock: %w", err)
	}
	return c, c.Set(at.Time())
}
