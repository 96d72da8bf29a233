package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

// awaitIdle returns when the rollups include every change that was committed before the
// call. A running dev knows that because it has read its table stream to the end.
func awaitIdle(ctx context.Context, cmd *cobra.Command, url string) error {
	began := time.Now()
	p := terminal.NewProgress(cmd.ErrOrStderr(), "fold", "records", 0)
	defer p.Done()
	var read int64
	for {
		status, err := idleStatus(ctx, url)
		if err != nil {
			return err
		}
		p.Add(int(status.Stats.StreamRecords - read))
		read = status.Stats.StreamRecords
		if status.Stats.GivenUp > 0 {
			return fmt.Errorf("wait for the rollups: aggregate failed on %d ranges of the table stream, which were not retried further: see on-failure.ndjson and logs/aggregate.log in .tidemark", status.Stats.GivenUp)
		}
		if status.Idle {
			fmt.Fprintf(cmd.OutOrStdout(), "rollups complete after %s more\n", time.Since(began).Round(100*time.Millisecond))
			return nil
		}
	}
}

// idleStatus asks a dev for its status. The dev responds when it is idle, or after a while.
func idleStatus(ctx context.Context, url string) (local.Status, error) {
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
		return status, usagef("--wait: %s returned %s: only a running \"tidemark dev\" can be waited for; remove --wait", url, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(&status); err != nil {
		return status, fmt.Errorf("wait for the rollups: %w", err)
	}
	return status, nil
}
