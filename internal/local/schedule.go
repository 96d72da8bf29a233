package local

import (
	"context"
	"time"
)

// scheduled is what a schedule sends, as far as functions look at it.
var scheduled = []byte(`{"detail-type":"Scheduled Event","source":"aws.events"}`)

// schedule invokes a function as often as deployed, until the stack stops. What fails is
// in the function's log, and comes again.
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
