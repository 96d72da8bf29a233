package entity

import "github.com/tidemark-db/tidemark/pkg/model"

// Sentinel reserves a value of a unique constraint: while it exists, no other subject
// can take that value. Only its owner removes it.
type Sentinel struct {
	Partition  string // its partition key
	Owner      model.Subject
	Generation model.Generation
}
