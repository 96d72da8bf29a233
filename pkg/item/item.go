// Package item is how nouns are stored: the attributes of an event, a current, a
// rollup row and a quarantined thing, free of AWS types. The table on DynamoDB, the
// table in memory and the stream decoder all read and write through it, so the
// stored format has one home.
package item

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Type is the DynamoDB type of a Value.
type Type uint8

// The types an item of ours may hold; Other is any that we never write.
const (
	Other Type = iota
	S
	N
	B
	Bool
	Null
)

// Value is one attribute value.
type Value struct {
	Type Type
	S    string // of S and N
	B    []byte // of B
	Bool bool   // of Bool
}

// Item is a stored item by attribute name.
type Item map[string]Value

func FromEvent(e *model.Event) Item                  { panic("stub") }
func Event(it Item) (model.Event, error)             { panic("stub") }
func FromCurrent(c *model.Current) Item              { panic("stub") }
func Current(it Item) (model.Current, error)         { panic("stub") }
func FromRow(r *rollup.Row) (Item, error)            { panic("stub") }
func Row(it Item) (rollup.Row, error)                { panic("stub") }
func FromQuarantined(q *model.Quarantined) Item      { panic("stub") }
func Quarantined(it Item) (model.Quarantined, error) { panic("stub") }
