// Package keys is the grammar of the table's keys: the one place where a partition
// key, a sort key, an attribute name or an index name is spelled. Parts are escaped,
// so that no value forges a key or leaves its prefix, and byte order of sort keys is
// time order.
package keys

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Key is a primary key.
type Key struct{ PK, SK string }

func Partition(s model.Series) string                                           { panic("stub") }
func SubjectPartition(s model.Subject) string                                   { panic("stub") }
func Metadata(s model.Subject) Key                                              { panic("stub") }
func Current(s model.Series) Key                                                { panic("stub") }
func Event(k model.EventKey) Key                                                { panic("stub") }
func Row(k rollup.Key) Key                                                      { panic("stub") }
func Gate(s model.Subject) Key                                                  { panic("stub") }
func Quarantine(q model.Quarantined) Key                                        { panic("stub") }
func EventRange(s model.Series, from, to model.Time) (lo, hi string)            { panic("stub") }
func RowRange(s model.Series, u tier.Unit, from, to model.Time) (lo, hi string) { panic("stub") }
func ParseEvent(k Key) (model.EventKey, error)                                  { panic("stub") }
func ParseCurrent(k Key) (model.Series, error)                                  { panic("stub") }
func ParseRow(k Key) (rollup.Key, error)                                        { panic("stub") }
