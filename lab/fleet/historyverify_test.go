package fleet

import (
	"bytes"
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// verifying is the table as a verification reads it.
type verifying struct {
	*memory.Table
	w *history
}

// StreamState says that changes are processed up to the first change of a profile that is not.
func (v verifying) StreamState(context.Context) (storage.StreamState, error) {
	state := storage.StreamState{Progress: v.w.now}
	if slices.ContainsFunc(v.w.untold, func(body []byte) bool {
		return bytes.Contains(body, []byte(`"`+tablekeys.ClassMemberships+`"`))
	}) {
		state.Progress = firstHour
	}
	return state, nil
}

// checkVerify verifies the table. At any time it finds no share that differs from what its member sent: what
// is on its way excuses it. When everything is settled, it finds nothing.
func (w *history) checkVerify(settled bool) {
	w.fetch()
	v := verify.Verifier{Store: verifying{w.table, w}, Catalog: w.kinds, MaxExplained: 3,
		Now: func() model.Time { return w.now }}
	report, err := v.Verify(w.Context(), verify.Scope{Span: verify.Always})
	if err != nil {
		w.Fatal(err)
	}
	w.checked["verifications"]++
	for _, t := range report.Tiers {
		w.checked[t.Tier+" verified as equal"] += t.Status[verify.Equal]
	}
	for _, f := range report.Differences {
		if settled || f.Key.Member != "" {
			w.fail("verify, settled %t: %s %s %s: %s: %s; %s", settled, f.Key.Series, f.Key.Tier, f.Key.Start,
				f.Status, f.Detail, f.Events)
		}
	}
}
