package retry

import (
	"context"
	"time"
)

// WithHeadroom returns a context that ends earlier than ctx, so that there is time to
// respond before the deadline of ctx. It ends headroom earlier, or a tenth of the time
// that is left, if that is less. Without a deadline only cancel ends it. The caller must
// call cancel.
func WithHeadroom(ctx context.Context, headroom time.Duration) (_ context.Context, cancel context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(headroom, time.Until(deadline)/10)))
}
