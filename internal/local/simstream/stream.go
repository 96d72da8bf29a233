package simstream

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Stream is a simulated table stream. Its records are in shards that split, merge and end, and are kept for a
// day. Records of a shard, and therefore of an item, are ordered. A shard is read after its parents.
type Stream struct {
	sim       *Sim
	arn       string
	made      int // changes so far
	numbered  int // records so far, of every ARN
	failovers int
	shards    []*simShard
	retired   []*simShard // of ARNs that are no longer read
	delivery  *delivery   // nil until Deliver
}

// Kept is the retention of records in a table stream.
const Kept = 24 * time.Hour

// simShard contains the records of a range of hashes of partition keys.
type simShard struct {
	id      string
	parents []*simShard
	low     uint32 // the first hash
	high    uint32 // the last hash
	ended   bool   // no records follow
	retired bool   // its ARN is no longer read
	records []*simRecord
	lanes   []*simLane // nil until it is read
}

// simRecord is a record with its change.
type simRecord struct {
	eventsource.Record
	change *Change
}

func newStream(s *Sim) *Stream {
	st := &Stream{sim: s, arn: streamARN(0)}
	st.open(0, math.MaxUint32)
	return st
}

func streamARN(n int) string {
	return fmt.Sprintf("arn:aws:dynamodb:us-east-1:000000000000:table/simulated/stream/%d", n)
}

func (st *Stream) open(low, high uint32, parents ...*simShard) *simShard {
	for _, p := range parents {
		p.ended = true
	}
	sh := &simShard{id: fmt.Sprintf("shard-%d", len(st.shards)+len(st.retired)), parents: parents, low: low,
		high: high}
	st.shards = append(st.shards, sh)
	return sh
}

// maxFailovers is how many failovers a history may have. Each delivers the records of a day
// again, whose writes may cause the next one: without a limit, a history need not end.
const maxFailovers = 4

// Append adds the record of a change at the current time.
func (st *Stream) Append(c Change) {
	st.made++
	st.sim.settled = false
	dice := st.sim.dice.Part("record", st.made)
	sh := st.openShard(c.Partition)
	if st.sim.strikes(dice, ShardSplit) && sh.low < sh.high {
		sh = st.split(sh, c.Partition)
	} else if st.sim.strikes(dice, ShardMerge) {
		sh = st.merge(sh)
	}
	st.append(sh, &c, st.sim.now)
	if st.failovers < maxFailovers && st.sim.strikes(dice, Failover) {
		st.failover()
	}
	if st.delivery != nil {
		st.delivery.wake(st.shards)
	}
}

func (st *Stream) append(sh *simShard, c *Change, at model.Time) {
	seq := st.sequenceNumber()
	at = model.Time(at.Seconds() * 1000) // a table stream has whole seconds
	sh.records = append(sh.records, &simRecord{change: c, Record: eventsource.Record{
		Seq: seq, Item: c.Item, At: at, Body: Body(c, at, st.arn, seq),
	}})
	if sh.lanes != nil {
		st.delivery.lane(sh, c.Item).add(sh.records[len(sh.records)-1])
	}
}

// sequenceNumber returns a unique number of varying length. Only equality is meaningful.
func (st *Stream) sequenceNumber() string {
	st.numbered++
	digits := 21 + st.numbered*7%20
	return fmt.Sprintf("%d%0*d", 1+st.numbered%9, digits-1, st.numbered)
}

func partitionHash(partition string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(partition))
	return h.Sum32()
}

// openShard returns the open shard of a partition key.
func (st *Stream) openShard(partition string) *simShard {
	hash := partitionHash(partition)
	i := slices.IndexFunc(st.shards, func(sh *simShard) bool {
		return !sh.ended && sh.low <= hash && hash <= sh.high
	})
	return st.shards[i]
}

func (st *Stream) split(sh *simShard, partition string) *simShard {
	middle := sh.low + (sh.high-sh.low)/2
	left, right := st.open(sh.low, middle, sh), st.open(middle+1, sh.high, sh)
	st.sim.logFault("", ShardSplit, "%s into %s and %s", sh.id, left.id, right.id)
	if partitionHash(partition) <= middle {
		return left
	}
	return right
}

// merge replaces a shard and the next one by a new shard. If there is no next one, it replaces one shard.
func (st *Stream) merge(sh *simShard) *simShard {
	for _, other := range st.shards {
		if !other.ended && sh.high < math.MaxUint32 && other.low == sh.high+1 {
			merged := st.open(sh.low, other.high, sh, other)
			st.sim.logFault("", ShardMerge, "%s and %s into %s", sh.id, other.id, merged.id)
			return merged
		}
	}
	next := st.open(sh.low, sh.high, sh)
	st.sim.logFault("", ShardMerge, "%s into %s", sh.id, next.id)
	return next
}

// failover replaces the table stream by a replica's, from its oldest record. The ARN, the sequence
// numbers, the event IDs and the order between items differ, and expiries do not have the identity of TTL.
func (st *Stream) failover() {
	st.failovers++
	old := st.shards
	var all []*simRecord
	for _, sh := range old {
		all = append(all, sh.records...)
		sh.retire(st.delivery)
	}
	st.retired, st.shards = append(st.retired, old...), nil
	st.arn = streamARN(len(st.retired))
	st.sim.logFault("", Failover, "%s", st.arn)
	only := st.open(0, math.MaxUint32)
	slices.SortStableFunc(all, func(a, b *simRecord) int { return strings.Compare(a.Item, b.Item) })
	for _, r := range all {
		if st.sim.now.Sub(r.At) < Kept {
			copied := *r.change
			copied.Unsigned = true
			st.append(only, &copied, r.At)
		}
	}
}

// retire ends the delivery of a shard. Records that were not delivered and that the replica
// does not keep are lost.
func (sh *simShard) retire(d *delivery) {
	sh.ended, sh.retired = true, true
	if d != nil && sh.lanes == nil {
		d.read(sh, 0)
	}
	for _, l := range sh.lanes {
		l.trim()
		l.records, l.at = nil, 0
	}
}

// drained reports whether every record was delivered, given up or lost. It is true if nothing
// reads the stream.
func (st *Stream) drained() bool {
	if st.delivery == nil {
		return true
	}
	under := func(sh *simShard) bool { return !sh.drained() }
	return !slices.ContainsFunc(st.shards, under) && !slices.ContainsFunc(st.retired, under)
}

func (sh *simShard) drained() bool {
	if sh.lanes == nil {
		return sh.retired || len(sh.records) == 0
	}
	return !slices.ContainsFunc(sh.lanes, func(l *simLane) bool { return l.busy || l.at < len(l.records) })
}
