// Package item defines the stored format: it encodes and decodes the attributes of events, latest items,
// rollup rows and all other entities, without AWS types. The store on DynamoDB, the store in memory and the
// stream decoder all use it, so that the format is defined in one place.
//
// Encoders write one form. Decoders validate everything that they read. An item whose key is
// not of the expected class is an error; each decoder documents what it does with an item
// that is damaged or that a newer version wrote.
package item

import (
	"errors"

	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Type is the DynamoDB type of a Value.
type Type uint8

// The types. Nested is a list or a map of texts, numbers, booleans and null. Other is any type that
// Tidemark does not use, such as sets; it is written only as it was read.
const (
	Other Type = iota
	S
	N
	B
	Bool
	Null
	Nested
)

// Value is one attribute value.
type Value struct {
	Type Type
	Bool bool   // of Bool
	S    string // of S and N; of Nested, the text of NestedText
	B    []byte // of B
	// Opaque is a value of type Other in the form of the store that read it, so that the store
	// can write it again. Its method Size, if it has one, returns its bytes.
	Opaque any
}

// Item is a stored item by attribute name.
type Item map[string]Value

// Version is the format version that this program writes, and the newest that it reads.
const Version = 1

// Errors of the decoders and encoders.
var (
	// ErrNewer reports that a newer version of Tidemark wrote the item. It must not be
	// rewritten, nor used in a rollup.
	ErrNewer = errors.New(
		"written by a newer version of Tidemark: deploy that version before this one touches the item")
	// ErrDamaged reports that an attribute is missing or has an invalid value.
	ErrDamaged = errors.New("damaged item")
	// ErrRowTooLarge reports that a rollup row is larger than rollup.MaxRowBytes.
	ErrRowTooLarge = errors.New("rollup row too large")
)

// Key returns the primary key of the item. A part is empty if its attribute is missing or not a string.
func (it Item) Key() keys.Key { return keys.Key{PK: text(it[keys.AttrPK]), SK: text(it[keys.AttrSK])} }

// Size returns the size in bytes as the table counts it: the lengths of names, strings and
// binaries, half a byte for each digit of a number, and one byte for other values. Lists and
// maps take at most the returned size.
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
		case Other:
			size += sizeOfOther(v.Opaque)
		case Nested:
			size += 3 + len(v.S)*3/2 // a byte for each element in addition: 1, takes three bytes
		default:
			size++
		}
	}
	return size
}

func sizeOfOther(opaque any) int {
	if sized, ok := opaque.(interface{ Size() int }); ok {
		return sized.Size()
	}
	return 1
}

// newItem returns an item with a key and our version. attributes is the expected number of others.
func newItem(k keys.Key, attributes int) Item {
	it := make(Item, attributes+3)
	it[keys.AttrPK], it[keys.AttrSK] = stringValue(k.PK), stringValue(k.SK)
	it[keys.AttrVersion] = Number(Version)
	return it
}

func text(v Value) string {
	if v.Type != S {
		return ""
	}
	return v.S
}
