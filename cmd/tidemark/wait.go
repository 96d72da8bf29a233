package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local"
)

// awaitIdle returns when everything that was committed before the call is folded.
// The front of a dev answers that from the table stream itself.
func awaitIdle(ctx context.Context, cmd *cobra.Command, url string) error {
	began := time.Now()
	p := newProgress(cmd.ErrOrStderr(), "fold", "records", 0)
	defer p.done()
	var read int64
	for {
		status, err := askIdle(ctx, url)
		if err != nil {
			return err
		}
		p.add(int(status.Stats.StreamRecords - read))
		read = status.Stats.StreamRecords
		if status.Stats.GivenUp > 0 {
			return fmt.Errorf("wait for the rollups: %d ranges of the table stream were given up: see on-failure.ndjson and the log of aggregate under .tidemark", status.Stats.GivenUp)
		}
		if status.Idle {
			fmt.Fprintf(cmd.OutOrStdout(), "folded after %s more\n", time.Since(began).Round(100*time.Millisecond))
			return nil
		}
	}
}

func askIdle(ctx context.Context, url string) (local.Status, error) {
	var status local.Status
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/local/idle", nil)
	if err != nil {
		return status, usagef("--url: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return status, fmt.Errorf("wait for the rollups: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return status, usagef("--wait: %s answered %s: only the front of a \"tidemark dev\" can say when all is folded; leave --wait out", url, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(&status); err != nil {
		return status, fmt.Errorf("wait for the rollups: %w", err)
	}
	return status, nil
}
