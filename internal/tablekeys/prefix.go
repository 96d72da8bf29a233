package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Prefixes of sort keys. Every item of the class has the prefix, and no other item has.
const (
	EventPrefix  = keys.ClassEvent + string(keyparts.Separator)
	LatestPrefix = keys.ClassLatest + string(keyparts.Separator)
	RowsPrefix   = keys.ClassRow + string(keyparts.Separator)
)

// RowPrefix returns the prefix of the sort keys of all rollups of a tier.
func RowPrefix(unit string) string { return keyparts.Join(keys.ClassRow, unit, "") }
