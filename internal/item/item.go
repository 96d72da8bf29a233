// Package item is how nouns are stored: the attributes of an event, a current, a
// rollup row and a quarantined thing, free of AWS types. The table on DynamoDB, the
// table in memory and the stream decoder all read and write through it, so the
// stored format has one home.
//
// What is written has one form; what is read is doubted. Keys are never guessed: an
// item whose key is not of its class is an error. Beyond the key, each decoder says
// what it does with an item that is damaged, or that a newer version wrote.
package item

import (
	"errors"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Type is the DynamoDB type of a Value.
type Type uint8

// The types an item of ours may hold; Other is any that we never write (maps, lists
// and sets).
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

// Version is the format version that this program writes, and the newest it reads.
const Version = 1

// Errors of the decoders and encoders.
var (
	// ErrNewer says that a newer version of Tidemark wrote the item. Whoever meets it
	// neither folds nor rewrites the item.
	ErrNewer = errors.New("written by a newer version of Tidemark: deploy that version before this one touches the item")
	// ErrDamaged says that an attribute is missing or is not what its name promises.
	ErrDamaged = errors.New("damaged item")
	// ErrRowTooLarge says that a rollup row is past rollup.MaxRowBytes.
	ErrRowTooLarge = errors.New("rollup row too large")
)

// Key is the primary key of it; empty where an attribute of the key is missing or is
// no string.
func (it Item) Key() keys.Key {
	return keys.Key{PK: text(it[keys.AttrPK]), SK: text(it[keys.AttrSK])}
}

// Size is what the table counts for it, in bytes: names and values, strings and
// binaries by length, numbers by their digits, one byte for the rest.
func (it Item) Size() int {
	size := 0
	for name, v := range it {
		size += len(name)
		switch v.Type {
		case S:
			size += len(v.S)
		case N:
			size += (len(v.S)+1)/2 + 1
		case B:
			size += len(v.B)
		default:
			size++
		}
	}
	return size
}

// under is a new item with a key and our version.
func under(k keys.Key, room int) Item {
	it := make(Item, room+3)
	it[keys.AttrPK], it[keys.AttrSK] = stringOf(k.PK), stringOf(k.SK)
	it[keys.AttrVersion] = numberOf(Version)
	return it
}

func text(v Value) string {
	if v.Type != S {
		return ""
	}
	return v.S
}
