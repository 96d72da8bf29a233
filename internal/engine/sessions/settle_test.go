package sessions_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/sessions"
)

// A view 30 minutes before a change left an invalidation that is due a grace after the change at the
// earliest. A clock that reads less than that by the margin reads it before that sweep begins.
func TestOnTime_EndsAMarginBeforeTheSweepOfTheViewBefore(t *testing.T) {
	k := kind(t)
	const margin = 2 * time.Minute
	late := noon.Add(k.Retention.Finest().Grace - k.Sessions.Gap - margin)
	if !sessions.OnTime(k, noon, late-1, margin) {
		t.Errorf("a change of %s is late at %s", noon, late-1)
	}
	if sessions.OnTime(k, noon, late, margin) {
		t.Errorf("a change of %s is on time at %s", noon, late)
	}
}
