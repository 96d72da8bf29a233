package views

import (
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Progress is query.Progress as JSON, in each response that depends on rollups.
type Progress struct {
	CompleteThrough  *model.Time `json:"completeThrough,omitempty"`
	ProcessedThrough *model.Time `json:"processedThrough,omitempty"`
	// UnprocessedSince is the first heartbeat of the table stream, while no change was processed.
	UnprocessedSince *model.Time   `json:"unprocessedSince,omitempty"`
	Unprocessed      []Unprocessed `json:"unprocessed,omitempty"`
}

// Unprocessed is a range of the table's clock whose changes may be missing.
type Unprocessed struct {
	From   model.Time              `json:"from"`
	To     model.Time              `json:"to"`
	Reason query.UnprocessedReason `json:"reason"`
}

// FromProgress returns p as JSON. A time before the first sweep, or before anything was processed, is absent.
func FromProgress(p query.Progress) Progress {
	v := Progress{
		CompleteThrough: reached(p.CompleteThrough), ProcessedThrough: reached(p.ProcessedThrough),
		Unprocessed: lists.Map(p.Unprocessed, func(u query.Unprocessed) Unprocessed {
			return Unprocessed{From: u.From, To: u.To, Reason: u.Reason}
		}),
	}
	if p.Begun != 0 {
		v.UnprocessedSince = &p.Begun
	}
	return v
}

func reached(at *model.Time) *model.Time {
	if at == nil || *at == model.MinTime {
		return nil
	}
	return at
}
