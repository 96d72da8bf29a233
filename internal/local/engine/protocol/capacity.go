package protocol

import (
	"encoding/json"

	"github.com/tidemark-db/tidemark/internal/local/engine"
)

// Bytes of one unit.
const (
	readUnitBytes  = 4 << 10
	writeUnitBytes = 1 << 10
)

// consumed are the capacity units of a request on a table.
type consumed struct {
	TableName          string
	CapacityUnits      float64
	ReadCapacityUnits  float64 `json:",omitempty"` // of transactions
	WriteCapacityUnits float64 `json:",omitempty"`
}

func checkCapacity(mode string) error {
	switch mode {
	case "", "NONE", "TOTAL":
		return nil
	case "INDEXES":
		return unknown("ReturnConsumedCapacity INDEXES")
	default:
		return invalidAt("returnConsumedCapacity", mode,
			"Member must satisfy enum value set: [INDEXES, TOTAL, NONE]")
	}
}

// consumed returns the capacity of a response, if it was requested.
func (t *table) consumed(mode string, units float64) *consumed {
	if mode != "TOTAL" {
		return nil
	}
	return &consumed{TableName: t.name, CapacityUnits: units}
}

// appendTo appends the member of a response after others; nothing for nil.
func (c *consumed) appendTo(dst []byte) []byte {
	if c == nil {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	text, _ := json.Marshal(c) // plain data: cannot fail
	return append(append(dst, `"ConsumedCapacity":`...), text...)
}

// readUnits returns the units of a read.
func readUnits(size int, consistent bool) float64 {
	units := float64(max(1, (size+readUnitBytes-1)/readUnitBytes))
	if !consistent {
		units /= 2
	}
	return units
}

func unitsBySize(size int) float64 { return float64(max(1, (size+writeUnitBytes-1)/writeUnitBytes)) }

// writeUnits returns the units of a change: of the larger of both items in the table, and of each index entry
// that it writes or deletes.
func (t *table) writeUnits(c *engine.Change) float64 {
	units := unitsBySize(max(c.Old.Size(), c.New.Size()))
	schema := t.Schema()
	if engine.EqualItems(c.Old, c.New) {
		return units
	}
	for i := range schema.Indexes {
		was, before := schema.Entry(i, c.Key, c.Old)
		is, now := schema.Entry(i, c.Key, c.New)
		if before && now && was == is {
			units += unitsBySize(max(c.Old.Size(), c.New.Size()))
			continue
		}
		if before {
			units += unitsBySize(c.Old.Size())
		}
		if now {
			units += unitsBySize(c.New.Size())
		}
	}
	return units
}
