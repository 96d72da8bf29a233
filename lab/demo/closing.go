package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var errNotClosed = errors.New("the row of the closed hour is not what readers saw while it was open")

// showClosing sends readings of the hour that goes on, reads it while it is open, and closes it: the
// row of the hour must have the readings that readers folded before. No demo can wait for the end of
// the hour, so the aggregate function's sweep runs on the same table, with a clock after it.
func showClosing(ctx context.Context, rig *loggers.Rig) error {
	at := model.NewTime(time.Now())
	hour := tier.Hour.BucketAt(at)
	from, to := hour.Start.Time().Format(time.RFC3339), hour.End.Time().Format(time.RFC3339)
	const device = "hall"
	for _, temperature := range []int{21, 24} {
		if err := send(ctx, rig, device, at, temperature); err != nil {
			return err
		}
		at++ // another time is another reading
		fmt.Printf("\n$ tidemark rollups devices/%s --tier hour --from %s --to %s   # after a reading of %d\n",
			device, from, to, temperature)
		if err := rig.Tidemark(ctx, os.Stdout, "rollups", "devices/"+device, "--tier", "hour", "--from", from,
			"--to", to); err != nil {
			return err
		}
	}
	if err := rig.Stack.Idle(ctx); err != nil {
		return err
	}
	table, err := rig.Table(ctx)
	if err != nil {
		return err
	}
	kinds, err := rig.Config.Catalog()
	if err != nil {
		return err
	}
	sweeper := aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds,
		Now: func() model.Time { return hour.End.Add(2 * aggregate.ClockMargin) }}
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if _, err := sweeper.Sweep(ctx, shard); err != nil {
			return err
		}
	}
	rows, err := loggers.Rows(ctx, table)
	if err != nil {
		return err
	}
	for i := range rows {
		if key := rows[i].Key; key.Series.Subject.ID == device && key.Tier == tier.Hour.String() && rows[i].Exact &&
			rows[i].Summary.Events() == 2 {
			fmt.Print("\nThe hour has ended, by the clock of one sweep: its row is stored, " +
				"with 2 readings, and exact.\n\n")
			return nil
		}
	}
	return errNotClosed
}

func send(ctx context.Context, rig *loggers.Rig, device string, at model.Time, temperature int) error {
	body := fmt.Sprintf(`{"deviceId":%q,"timestamp":%q,"temperature":%d}`, device, at, temperature)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, rig.Stack.URL+"/v1/readings",
		strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated {
		return fmt.Errorf("send a reading: %s", response.Status)
	}
	return nil
}
