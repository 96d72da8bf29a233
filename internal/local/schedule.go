package local

import (
	"context"
	"time"
)

// scheduled is the payload of a schedule, with the fields that functions read.
var scheduled = []byte(`{"detail-type":"Scheduled Event","source":"aws.events"}`)

// schedule invokes a function at the deployed interval until the stack stops. Errors are in the log
// of the function, and the next invocation retries.
func (s *Stack) schedule(every time.Duration, invoke func(context.Context) ([]byte, error)) {
	s.running.Go(func() {
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-ticks.C:
				invoke(s.ctx)
			}
		}
	})
}
