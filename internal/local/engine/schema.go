//lint:file-ignore ST1005 DynamoDB writes its messages with a capital.

package engine

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Limits of keys in bytes.
const (
	maxPartitionBytes = 2048
	maxSortBytes      = 1024
)

// Key returns the primary key of an item. It returns the errors that DynamoDB returns for an item
// that is put.
func (s *Schema) Key(it item.Item) (k keys.Key, err error) {
	if k.PK, err = keyPart(it, s.Partition, "hashkey", maxPartitionBytes); err != nil || s.Sort == "" {
		return k, err
	}
	k.SK, err = keyPart(it, s.Sort, "rangekey", maxSortBytes)
	return k, err
}

func keyPart(it item.Item, name, which string, limit int) (string, error) {
	v, ok := it[name]
	switch {
	case !ok:
		return "", fmt.Errorf("One or more parameter values were invalid: Missing the key %s in the item", name)
	case v.Type != item.S:
		return "", fmt.Errorf(
			"One or more parameter values were invalid: Type mismatch for key %s expected: S actual: %s", name,
			TypeName(v))
	case v.S == "":
		return "", fmt.Errorf(
			"One or more parameter values are not valid. The AttributeValue for a key attribute cannot "+
				"contain an empty string value. Key: %s", name)
	case len(v.S) > limit && which == "hashkey":
		return "", fmt.Errorf(
			"One or more parameter values were invalid: Size of hashkey has exceeded the maximum size "+
				"limit of%d bytes", limit)
	case len(v.S) > limit:
		return "", fmt.Errorf(
			"One or more parameter values were invalid: Aggregated size of all range keys has exceeded "+
				"the size limit of %d bytes", limit)
	}
	return v.S, nil
}

// ownKey returns the primary key of an item that has one.
func (s *Schema) ownKey(it item.Item) keys.Key {
	return keys.Key{PK: it[s.Partition].S, SK: it[s.Sort].S}
}

// IsKey reports whether an attribute is part of the primary key.
func (s *Schema) IsKey(name string) bool { return name == s.Partition || name == s.Sort && name != "" }

// KeyItem returns the item that has only its key.
func (s *Schema) KeyItem(k keys.Key) item.Item {
	it := item.Item{s.Partition: {Type: item.S, S: k.PK}}
	if s.Sort != "" {
		it[s.Sort] = item.Value{Type: item.S, S: k.SK}
	}
	return it
}

// CheckIndexKeys returns an error for an item whose attributes cannot be keys of the indexes that they
// belong to.
func (s *Schema) CheckIndexKeys(it item.Item) error {
	for _, index := range s.Indexes {
		for _, part := range []struct {
			name  string
			limit int
		}{{index.Partition, maxPartitionBytes}, {index.Sort, maxSortBytes}} {
			v, ok := it[part.name]
			switch {
			case part.name == "" || !ok:
			case v.Type != item.S:
				return fmt.Errorf("One or more parameter values were invalid: Type mismatch for Index "+
					"Key %s Expected: S Actual: %s IndexName: %s", part.name, TypeName(v), index.Name)
			case v.S == "":
				return fmt.Errorf("One or more parameter values are not valid. A value specified for a "+
					"secondary index key is not supported. The AttributeValue for a key attribute "+
					"cannot contain an empty string value. "+
					"IndexName: %s, IndexKey: %s", index.Name, part.name)
			case len(v.S) > part.limit:
				return fmt.Errorf("One or more parameter values were invalid: Size of the index key %s "+
					"of %s has exceeded the maximum size limit of %d bytes",
					part.name, index.Name, part.limit)
			}
		}
	}
	return nil
}

// Index returns an index by its name.
func (s *Schema) Index(name string) (Index, bool) {
	i, ok := s.index(name)
	if !ok {
		return Index{}, false
	}
	return s.Indexes[i], true
}

// Entry returns the key of an item in an index; ok is false if the item is not in it.
func (s *Schema) Entry(index int, k keys.Key, it item.Item) (at Position, ok bool) {
	def := &s.Indexes[index]
	partition, sort := it[def.Partition], it[def.Sort]
	ok = partition.Type == item.S && (def.Sort == "" || sort.Type == item.S)
	return Position{Key: k, IndexPartition: partition.S, Index: sort.S}, ok
}

// index returns the number of an index by its name.
func (s *Schema) index(name string) (int, bool) {
	for i := range s.Indexes {
		if s.Indexes[i].Name == name {
			return i, true
		}
	}
	return 0, false
}
