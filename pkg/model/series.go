package model

import (
	"cmp"
	"strings"
)

// Subject is what is observed: a type and an id, DEVICE sensor_01.
type Subject struct {
	Type string // declared subject type, as DEVICE
	ID   string // any valid UTF-8 without control characters, at most 512 bytes
}

// String is for people and logs; keys are built by package keys.
func (s Subject) String() string { return s.Type + "/" + s.ID }

// Series is one run of events: a subject's kind and stream. Shard is zero for
// kinds that are not spread, else 1..n; events, current and rollups of a shard
// live together, and reads merge the shards.
type Series struct {
	Subject Subject
	Kind    string
	Stream  string // "" when the kind's events carry no discriminator
	Shard   int
}

// String is for people and logs: DEVICE/sensor_01 READING status.
func (s Series) String() string {
	return strings.TrimRight(s.Subject.String()+" "+s.Kind+" "+s.Stream, " ")
}

// Order places an event in its series: by event time, then by id as bytes. It is
// also the identity of an event within its series.
type Order struct {
	At Time
	ID string
}

// Compare is negative when o comes before p.
func (o Order) Compare(p Order) int {
	if c := cmp.Compare(o.At, p.At); c != 0 {
		return c
	}
	return strings.Compare(o.ID, p.ID)
}

// Before reports whether o comes strictly before p.
func (o Order) Before(p Order) bool { return o.Compare(p) < 0 }

// EventKey is the identity of an event: (series, event time, id).
type EventKey struct {
	Series Series
	Order
}
