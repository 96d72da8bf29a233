package entity

import "github.com/tidemark-db/tidemark/pkg/model"

// ListedSeries is an entry of the list of series. A series without a kind says that the
// subject has a profile; it has no times.
type ListedSeries struct {
	Series model.Series // without a shard
	// First and Last are the beginnings of the hours, or days, in which the earliest and
	// the newest event of the series are.
	First, Last model.Time
}
