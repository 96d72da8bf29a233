package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// smokePause is how long a check waits for the next, in the hope of more.
const smokePause = 500 * time.Millisecond

// await asks for the rollups until they are as wanted, or for as long as it may. It
// answers how long that took, and what was amiss last: "" where nothing is.
func (s *smoke) await(ctx context.Context, wanted func(tier.Tier) map[smokeBucket]query.Figures) (took time.Duration, amiss string, err error) {
	began := time.Now()
	for {
		amiss, err = s.look(ctx, wanted)
		took = time.Since(began)
		if err != nil || amiss == "" || took > s.within {
			return took, amiss, err
		}
		if err := retry.Sleep(ctx, smokePause); err != nil {
			return took, amiss, err
		}
	}
}

// look compares every tier once, and answers the first thing that is amiss.
func (s *smoke) look(ctx context.Context, wanted func(tier.Tier) map[smokeBucket]query.Figures) (string, error) {
	for _, t := range s.plan.kind.Ladder.Tiers {
		got := map[smokeBucket]query.Figures{}
		for _, subject := range s.plan.subjects {
			if err := s.rollups(ctx, t.Unit, subject, got); err != nil {
				return "", err
			}
		}
		if amiss := unlike(t.Unit, got, wanted(t)); amiss != "" {
			return amiss, nil
		}
	}
	return "", nil
}

// rollupsAnswer is what a check reads of a page of rollups.
type rollupsAnswer struct {
	Rollups []struct {
		Bucket   model.Time
		Exact    bool
		Measures map[string]query.Figures
	}
	Next *string
}

// rollups reads all rollups of a subject in a tier. One that is not exact has no place
// among what is expected, and is left out.
func (s *smoke) rollups(ctx context.Context, unit tier.Unit, subject string, into map[smokeBucket]query.Figures) error {
	at := fmt.Sprintf("%s/v1/%s/%s/%s/rollups/%s?limit=1000", s.url, s.plan.kind.Subject.Path, url.PathEscape(subject), s.plan.kind.Path, unit)
	for next := ""; ; {
		var page rollupsAnswer
		if err := s.get(ctx, at+next, &page); err != nil {
			return err
		}
		for _, r := range page.Rollups {
			if f := r.Measures[s.plan.measure]; r.Exact && f.Count > 0 {
				into[smokeBucket{subject, r.Bucket}] = f
			}
		}
		if page.Next == nil {
			return nil
		}
		next = "&cursor=" + url.QueryEscape(*page.Next)
	}
}

func (s *smoke) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return usagef("--url: %w", err)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("read the rollups: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBody))
	if err != nil {
		return fmt.Errorf("read the rollups: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("read the rollups: %s answered %s: %s", address, resp.Status, firstLine(body))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the rollups: %s: %w; is it the front of Tidemark?", address, err)
	}
	return nil
}

// unlike is the first difference, "" where there is none.
func unlike(unit tier.Unit, got, want map[smokeBucket]query.Figures) string {
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
