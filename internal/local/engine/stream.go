package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The names of stream records.
const (
	Insert = "INSERT"
	Modify = "MODIFY"
	Remove = "REMOVE"
)

// Record is one change of one item in the table stream.
type Record struct {
	Seq  uint64 // 1, 2, … in the order of the changes
	Keys keys.Key
	Old  item.Item // nil for Insert
	New  item.Item // nil for Remove
	// At is when the change was made, in whole seconds as in DynamoDB.
	At      model.Time
	Service bool // removed by TTL: the record has the identity of the service
	Shard   int  // of the table stream: an index of Shards
}

// EventID returns the unique name of a record.
func (r *Record) EventID() string { return fmt.Sprintf("%032x", r.Seq) }

// Name returns Insert, Modify or Remove.
func (r *Record) Name() string {
	switch {
	case r.Old == nil:
		return Insert
	case r.New == nil:
		return Remove
	default:
		return Modify
	}
}

// heldRecord is a Record as the table holds it. Its place says its Seq, and its images its keys.
type heldRecord struct {
	old, new stored
	at       model.Time
	shard    int32
	service  bool
}

// Shard is a part of the table stream that has all records of its partition keys, in order.
type Shard struct {
	Parent   int    // the shard that it continues; -1 for none
	From, To uint32 // of the hashes of its partition keys, both included
	First    uint64 // Seq of its first possible record
	Last     uint64 // Seq up to which it can have records; 0 while it is open
}

var firstShard = Shard{Parent: -1, To: 1<<32 - 1, First: 1}

// stream has the records of all shards in the order of the changes.
type stream struct {
	records []heldRecord
	trimmed uint64 // Seq of the last record that is gone
	shards  []Shard
}

func (s *stream) open(shard Shard) { s.shards = append(s.shards, shard) }

// next returns the Seq of the next record.
func (s *stream) next() uint64 { return s.trimmed + uint64(len(s.records)) + 1 }

// shardFor returns the open shard of a partition key.
func (s *stream) shardFor(pk string) int {
	if len(s.shards) == 1 {
		return 0
	}
	for i, at := len(s.shards)-1, hash(pk); i > 0; i-- {
		if shard := &s.shards[i]; shard.Last == 0 && shard.From <= at && at <= shard.To {
			return i
		}
	}
	return 0
}

// add adds the record of a change, whose images are the items as the table holds them.
func (s *stream) add(c Change, old, new stored, now model.Time, service bool) *Record {
	r := Record{
		Seq: s.next(), Keys: c.Key, Old: c.Old, New: c.New, Service: service, Shard: s.shardFor(c.Key.PK),
		At: model.Time(now.Seconds() * time.Second.Milliseconds()),
	}
	s.hold(&r, old, new)
	return &r
}

// hold adds a record with images as the table holds them.
func (s *stream) hold(r *Record, old, new stored) {
	s.records = append(s.records,
		heldRecord{old: old, new: new, at: r.At, shard: int32(r.Shard), service: r.Service})
}

// record returns the record at an index of the stream. The caller holds mu.
func (t *Table) record(i uint64) Record {
	held := &t.stream.records[i]
	r := Record{Seq: t.stream.trimmed + i + 1, Old: held.old.item(), New: held.new.item(), At: held.at,
		Service: held.service, Shard: int(held.shard)}
	if r.Keys = t.schema.ownKey(r.New); r.New == nil {
		r.Keys = t.schema.ownKey(r.Old)
	}
	return r
}

// Records returns the records of the table stream after a Seq, oldest first; 0 is the
// start. The records of a transaction are consecutive.
func (t *Table) Records(after uint64) (all []Record) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	from := max(after, t.stream.trimmed) - t.stream.trimmed
	for i := from; i < uint64(len(t.stream.records)); i++ {
		all = append(all, t.record(i))
	}
	return all
}

// Shards returns all shards of the stream, and the Seq of the last record that is gone.
func (t *Table) Shards() (all []Shard, trimmed uint64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return append(all, t.stream.shards...), t.stream.trimmed
}

// Tail returns the Seq of the newest record; 0 if there was none.
func (t *Table) Tail() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.stream.next() - 1
}

// ReadShard returns up to limit records of a shard after a Seq, of at most a page's bytes, and the Seq to
// continue after. gone reports that records after the Seq are no longer in the stream. end reports that the
// shard is closed and has no later records.
func (t *Table) ReadShard(shard int, after uint64, limit int) (page []Record, next uint64, gone, end bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := &t.stream
	if after < s.trimmed {
		return nil, after, true, false
	}
	last := s.shards[shard].Last
	size := 0
	next = after
	for i := after - s.trimmed; i < uint64(len(s.records)) && (last == 0 || next < last); i++ {
		if int(s.records[i].shard) == shard {
			if len(page) == limit || size > PageBytes {
				return page, next, false, false
			}
			r := t.record(i)
			page = append(page, r)
			size += r.Old.Size() + r.New.Size()
		}
		next = s.trimmed + i + 1
	}
	return page, next, false, last > 0 && next >= last
}

// Split closes an open shard of the stream and opens two for its partition keys, as DynamoDB does.
func (t *Table) Split(shard int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &t.stream
	if shard < 0 || shard >= len(s.shards) || s.shards[shard].Last > 0 || s.shards[shard].First >= s.next() {
		return fmt.Errorf("split shard %d: it does not exist, is closed, or has no record yet", shard)
	}
	old := &s.shards[shard]
	old.Last = s.next() - 1
	middle := old.From + (old.To-old.From)/2
	lower := Shard{Parent: shard, From: old.From, To: middle, First: s.next()}
	upper := Shard{Parent: shard, From: middle + 1, To: old.To, First: s.next()}
	s.open(lower)
	s.open(upper)
	t.append(&Commit{Shards: slices.Clone(s.shards)})
	return nil
}

// Trim removes the records that are older than the retention of the stream.
func (t *Table) Trim() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.options.Retention == 0 {
		return
	}
	n, horizon := 0, t.now().Add(-t.options.Retention)
	for n < len(t.stream.records) && t.stream.records[n].at < horizon {
		n++
	}
	t.trim(n)
}

// TrimThrough removes the records up to a Seq, as if they had expired.
func (t *Table) TrimThrough(seq uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trim(int(min(max(seq, t.stream.trimmed), t.stream.next()-1) - t.stream.trimmed))
}

// trim removes the oldest n records. The caller holds mu.
func (t *Table) trim(n int) {
	if n == 0 {
		return
	}
	s := &t.stream
	clear(s.records[:n])
	s.records, s.trimmed = s.records[n:], s.trimmed+uint64(n)
	t.append(&Commit{Trimmed: s.trimmed})
}

// SetStream enables or disables the stream. A new stream has no records of an earlier one.
func (t *Table) SetStream(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := &t.stream; on && !t.options.Stream && s.next() > 1 {
		t.trim(len(s.records))
		for i := range s.shards {
			if s.shards[i].Last == 0 {
				s.shards[i].Last = s.trimmed
			}
		}
		fresh := firstShard
		fresh.First = s.next()
		s.open(fresh)
		t.append(&Commit{Shards: slices.Clone(s.shards)})
	}
	t.options.Stream = on
}
