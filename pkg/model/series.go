package model

import (
	"cmp"
	"strings"
)

// Subject is the thing that is observed: a type and an id, DEVICE sensor_01.
type Subject struct {
	Type string // declared subject type, for example DEVICE
	ID   string // valid UTF-8 without characters that a reader cannot see, at most 512 bytes
}

// String is for people and logs; package keys builds keys.
func (s Subject) String() string { return s.Type + "/" + s.ID }

// Series is one sequence of events: the events of a subject, a kind and a stream. Shard is 0 for
// kinds without shards, otherwise from 1. Events, latest item and rollups of a shard are
// stored together; reads merge the shards.
type Series struct {
	Subject Subject
	Kind    string
	Stream  string // "" if the kind's events have no stream
	Shard   int
}

// String is for people and logs: DEVICE/sensor_01 READING status.
func (s Series) String() string {
	return strings.TrimRight(s.Subject.String()+" "+s.Kind+" "+s.Stream, " ")
}

// WithoutShard returns the series that s is a shard of: rows have no shard, and readers name none.
func (s Series) WithoutShard() Series {
	s.Shard = 0
	return s
}

// Order is the position of an event in its series: by event time, then by id as bytes. It
// also identifies the event within its series.
type Order struct {
	At Time
	ID string
}

// Compare returns a negative number if o is before p, zero if they are equal, and a
// positive number if o is after p.
func (o Order) Compare(p Order) int {
	if c := cmp.Compare(o.At, p.At); c != 0 {
		return c
	}
	return strings.Compare(o.ID, p.ID)
}

// Before reports whether o is strictly before p.
func (o Order) Before(p Order) bool { return o.Compare(p) < 0 }

// EventKey is the identity of an event: (series, event time, id).
type EventKey struct {
	Series Series
	Order
}
