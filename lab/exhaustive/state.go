package exhaustive

import (
	"encoding/binary"
	"hash/maphash"
)

// process is a process in one state of the system; no local where it does not run.
type process struct {
	at   *local
	held bool // it reads the clock after the next tick
}

// function is an aggregate function that waits for a batch, or processes one.
type function struct {
	process
	base  *local // before its batch
	batch uint16 // the changes of its batch, bits maxChanges*e and on for event e
}

// state is one state of the whole system.
type state struct {
	table     *table
	functions [maxFunctions]function
	ingest    process
	sweep     process
	reader    process
	control
}

// control is what the explorer knows of a history.
type control struct {
	tick     uint8
	version  uint8 // of the deployed catalog
	appended uint8 // events that were sent to ingest
	sending  uint8 // index of the event that is being sent
	used     budget
	late     uint8 // events of which a change was processed when rows may be sealed

	// changes that were stored: an insert, a deletion, an insert and so on
	made      [maxEvents]uint8
	processed [maxEvents]uint8             // of these
	times     [maxEvents][maxChanges]uint8 // ticks of the changes

	begun           bool // the reader has begun; then:
	atLeast, stored [maxEvents]uint8
}

// The processes of a state, by index: the functions first.
const (
	ingesting = maxFunctions + iota
	sweeping
	reading
	processCount
)

func (s *state) process(i int) *process {
	switch i {
	case ingesting:
		return &s.ingest
	case sweeping:
		return &s.sweep
	case reading:
		return &s.reader
	}
	return &s.functions[i].process
}

// quiet reports whether every change is processed and nothing but a reader runs.
func (s *state) quiet() bool {
	for i := range s.functions {
		if s.functions[i].batch != 0 {
			return false
		}
	}
	return s.ingest.at == nil && s.sweep.at == nil && s.made == s.processed
}

// accepted returns the events that were appended and not deleted by a user.
func (s *state) accepted() (set uint8) {
	for e, made := range s.made {
		if made%2 == 1 {
			set |= 1 << e
		}
	}
	return set
}

// running returns the changes that functions process.
func (s *state) running() (batch uint16) {
	for i := range s.functions {
		batch |= s.functions[i].batch
	}
	return batch
}

// revs returns the revisions that the table or a process knows.
func (s *state) revs() uint64 {
	all := s.table.revs
	for i := range processCount {
		if l := s.process(i).at; l != nil {
			all |= l.revs
		}
	}
	for i := range s.functions {
		if b := s.functions[i].base; b != nil {
			all |= b.revs
		}
	}
	return all
}

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// hash returns a hash of 128 bits. Equal states have equal hashes, and so have states in
// which two equal functions have changed places.
func (s *state) hash(symmetric bool) [2]uint64 {
	if f := &s.functions; symmetric && f[1].less(&f[0]) {
		f[0], f[1] = f[1], f[0]
	}
	b := make([]byte, 0, 128)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.table.id))
	for i := range processCount {
		p := s.process(i)
		b = appendLocal(b, p.at, p.held)
	}
	for i := range s.functions {
		b = append(appendLocal(b, s.functions[i].base, false), byte(s.functions[i].batch),
			byte(s.functions[i].batch>>8))
	}
	c := &s.control
	begun := byte(0)
	if c.begun {
		begun = 1
	}
	u := c.used
	b = append(b, c.tick, c.version, c.appended, c.sending, c.late, begun, u.crashes, u.repeats, u.unknowns,
		u.deletes, u.sweeps, u.readers)
	for e := range maxEvents {
		b = append(b, c.made[e], c.processed[e], c.times[e][0], c.times[e][1], c.times[e][2], c.times[e][3],
			c.atLeast[e], c.stored[e])
	}
	return [2]uint64{maphash.Bytes(seeds[0], b), maphash.Bytes(seeds[1], b)}
}

func appendLocal(b []byte, l *local, held bool) []byte {
	id := int32(0)
	if l != nil {
		id = l.id
	}
	if held {
		id = -id
	}
	return binary.LittleEndian.AppendUint32(b, uint32(id))
}

func (f *function) less(g *function) bool {
	return f.at != nil && g.at != nil &&
		(f.at.id < g.at.id || f.at.id == g.at.id && (f.batch < g.batch || f.batch == g.batch && f.held && !g.held))
}
