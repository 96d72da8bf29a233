package entity

import "github.com/tidemark-db/tidemark/pkg/model"

// Gap is a time range whose changes may never have reached the aggregate function: no
// change was processed for longer than the table stream keeps its records.
type Gap struct {
	From model.Time // the newest change processed before the gap, by the table's clock
	To   model.Time // the newest change of the first batch processed after it
}
