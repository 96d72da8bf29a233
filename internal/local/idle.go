package local

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/usage"
)

// AwaitIdle returns when the rollups of the stack at url include every change that was committed
// before the call. A running stack knows that because it has read its table stream to the end.
// It calls added with the records that were read since the call before.
func AwaitIdle(ctx context.Context, url string, added func(records int)) error {
	var read int64
	for {
		status, err := idleStatus(ctx, url)
		if err != nil {
			return err
		}
		added(int(status.Stats.StreamRecords - read))
		read = status.Stats.StreamRecords
		if status.Stats.GivenUp > 0 {
			return fmt.Errorf("wait for the rollups: aggregate failed on %d ranges of the table stream, which were not retried further: see on-failure.ndjson and logs/aggregate.log in .tidemark", status.Stats.GivenUp)
		}
		if status.Idle {
			return nil
		}
	}
}

// idleStatus asks a dev for its status. The dev responds when it is idle, or after a while.
func idleStatus(ctx context.Context, url string) (Status, error) {
	var status Status
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/local/idle", nil)
	if err != nil {
		return status, usage.Errorf("--url: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return status, fmt.Errorf("wait for the rollups: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return status, usage.Errorf("--wait: %s returned %s: only a running \"tidemark dev\" can be waited for; remove --wait", url, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(&status); err != nil {
		return status, fmt.Errorf("wait for the rollups: %w", err)
	}
	return status, nil
}
