package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// checkEvery is the pause between two checks of the rollups.
const checkEvery = 500 * time.Millisecond

// maxResponse bounds a page of rollups, in bytes.
const maxResponse = 64 << 20

// await reads the rollups until they are as wanted, at most for Within. It returns how
// long that took and the last difference, "" if there is none.
func (r *Run) await(ctx context.Context,
	wanted func(tier.Tier) map[bucket]figure.Figures) (took time.Duration, difference string, err error) {
	began := time.Now()
	for {
		difference, err = r.check(ctx, wanted)
		took = time.Since(began)
		if err != nil || difference == "" || took > r.Within {
			return took, difference, err
		}
		if err := retry.Sleep(ctx, checkEvery); err != nil {
			return took, difference, err
		}
	}
}

// check compares every tier once and returns the first difference.
func (r *Run) check(ctx context.Context, wanted func(tier.Tier) map[bucket]figure.Figures) (string, error) {
	for _, t := range r.Plan.Kind.Retention.Tiers {
		got := map[bucket]figure.Figures{}
		for _, subject := range r.Plan.Subjects {
			if err := r.rollups(ctx, t.Unit, subject, got); err != nil {
				return "", err
			}
		}
		if difference := compare(t.Unit, got, wanted(t)); difference != "" {
			return difference, nil
		}
	}
	return "", nil
}

// rollupPage is what a check reads of a page of rollups.
type rollupPage struct {
	Rollups []rollupEntry
	Next    *string
}

type rollupEntry struct {
	Bucket   model.Time
	Exact    bool
	Measures map[string]figure.Figures
}

// rollups reads all rollups of a subject in a tier. Those that are not exact are left out,
// so that a check finds them missing.
func (r *Run) rollups(ctx context.Context, unit tier.Unit, subject string,
	into map[bucket]figure.Figures) error {
	address := fmt.Sprintf("%s/v1/%s/%s/%s/rollups/%s?limit=1000", r.URL, r.Plan.Kind.Subject.Path,
		url.PathEscape(subject), r.Plan.Kind.Path, unit)
	rollups := paging.Items(func(cursor string) ([]rollupEntry, string, error) {
		var page rollupPage
		err := r.get(ctx, address+cursor, &page)
		if page.Next == nil {
			return page.Rollups, "", err
		}
		return page.Rollups, "&cursor=" + url.QueryEscape(*page.Next), err
	})
	for one, err := range rollups {
		if err != nil {
			return err
		}
		if f := one.Measures[r.Plan.measure]; one.Exact && f.Count > 0 {
			into[bucket{subject, one.Bucket}] = f
		}
	}
	return nil
}

func (r *Run) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return usererr.Errorf("read the rollups: %w", err)
	}
	resp, err := r.Client.Do(req)
	if err != nil {
		return fmt.Errorf("read the rollups: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("read the rollups: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("read the rollups: %w", replay.Refusal(address, resp, body))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the rollups: %s: %w; is this the URL of Tidemark's HTTP API?", address, err)
	}
	return nil
}

// compare returns the first difference, "" if there is none.
func compare(unit tier.Unit, got, want map[bucket]figure.Figures) string {
	for at, w := range want {
		g, ok := got[at]
		switch {
		case !ok:
			return fmt.Sprintf("%s %s of %s: no exact row, want one of %d events", unit, at.start, at.subject, w.Count)
		case g.Count != w.Count, g.Sum.Cmp(*w.Sum) != 0, g.Min.Cmp(*w.Min) != 0, g.Max.Cmp(*w.Max) != 0:
			return fmt.Sprintf("%s %s of %s: %d events, sum %s, %s to %s; want %d, sum %s, %s to %s",
				unit, at.start, at.subject, g.Count, g.Sum, g.Min, g.Max, w.Count, w.Sum, w.Min, w.Max)
		}
	}
	for at, g := range got {
		if _, ok := want[at]; !ok {
			return fmt.Sprintf("%s %s of %s: %d events, want none", unit, at.start, at.subject, g.Count)
		}
	}
	return ""
}
