package loggers

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/telemetry"
)

// shown is how many differing buckets are printed.
const shown = 10

// PrintDelivery prints the counts of deliveries and recomputations.
func PrintDelivery(out io.Writer, s local.Stats) {
	metric := func(m telemetry.Metric) int64 { return int64(s.Metrics[m.String()]) }
	fmt.Fprintf(out, "delivery  %d batches, %d delivered again, %d in pieces; %d invocations, %d of them not acknowledged\n",
		s.Batches, s.Again, s.Recut, s.Invocations, s.Failed)
	if s.Kills > 0 {
		fmt.Fprintf(out, "kills     %d of the aggregate function by SIGKILL, %d of them between the last write and the acknowledgement\n", s.Kills, s.KillsUnacked)
	}
	fmt.Fprintf(out, "rows      %d recomputed: %d written, %d unchanged, %d repeated after a lost lock\n",
		metric(telemetry.Recomputations), metric(telemetry.RowsWritten), metric(telemetry.RowsUnchanged), metric(telemetry.LostLocks))
}

// Print prints how many buckets are equal, and the others.
func (r Result) Print(out io.Writer) {
	fmt.Fprintf(out, "ours: %d of %d buckets equal\n", r.Equal, r.Buckets)
	for i, sentence := range r.Wrong {
		if i == shown {
			fmt.Fprintf(out, "  … and %d more\n", len(r.Wrong)-shown)
			break
		}
		fmt.Fprintln(out, " ", sentence)
	}
}
