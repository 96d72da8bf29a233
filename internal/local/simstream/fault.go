package simstream

import "fmt"

// Fault is a kind of failure in a simulated history.
type Fault int

// The faults. Each can occur at every request, batch, record or expiry that it applies to.
// Description says what it does.
const (
	CrashBefore Fault = iota
	CrashAfter
	ResponseLost
	DeadlineMidway
	WriteLost
	WriteUnconfirmed
	WriteDelayed
	Throttled
	HotKeyRange
	HotAccount
	TransactionConflict
	ReadFails
	Slow
	Duplicate
	ConcurrentDelivery
	ShortBatch
	Delay
	ShardReread
	ReplayFromStart
	StoppedShard
	ShardSplit
	ShardMerge
	Failover
	OldCode
	ClockSkew
	ExpiresLate
	ExpiresNever
	ExpiresUnsigned
	faultCount
)

// faultData has the name, default rate and description of each fault.
var faultData = [faultCount]struct {
	name        string
	rate        float64
	description string
}{
	CrashBefore: {"crash before a request", .012,
		"the function crashes before a request, which is not carried out"},
	CrashAfter: {"crash after a request", .012,
		"the function crashes right after a request was carried out"},
	ResponseLost: {"response lost", .06,
		"the function finished, and its response did not arrive: a timeout or a lost connection"},
	DeadlineMidway: {"deadline within a batch", .008,
		"the context of the function ends; its response is still used"},
	WriteLost: {"write lost", .03, "nothing was stored, and the request received no response"},
	WriteUnconfirmed: {"write unconfirmed", .03,
		"the write was stored, and the request received no response"},
	WriteDelayed: {"write delayed", .02,
		"the request received no response, and the write is carried out up to five minutes later"},
	Throttled: {"throttled", .02, "one request is throttled"},
	HotKeyRange: {"key range throttled", .004,
		"requests for a part of the keys are throttled for up to a minute"},
	HotAccount: {"account throttled", .002, "all requests are throttled for up to a minute"},
	TransactionConflict: {"transaction conflict", .02,
		"another transaction uses one or more of the items: nothing is stored"},
	ReadFails: {"read fails", .02, "a read receives no response"},
	Slow:      {"slow request", .06, "a request takes up to three minutes"},
	Duplicate: {"batch delivered again", .15,
		"a batch is delivered a second time, up to 25 hours later"},
	ConcurrentDelivery: {"batch delivered concurrently", .10,
		"two invocations process the same batch at the same time"},
	ShortBatch: {"short batch", .5, "a batch has fewer records than are available"},
	Delay:      {"delayed delivery", .12, "records are delivered minutes or hours later"},
	ShardReread: {"shard reread", .08,
		"a few acknowledged records are delivered again, in different batches"},
	ReplayFromStart: {"replay from the start", .02, "a stream shard is read again from its oldest record"},
	StoppedShard: {"stopped shard", .02,
		"a stream shard is not read for hours, or for longer than the stream keeps records"},
	ShardSplit: {"shard splits", .04, "a stream shard ends and two shards replace it"},
	ShardMerge: {"shards merge", .03, "two stream shards end and one shard replaces them"},
	Failover: {"failover to another ARN", .008,
		"the table stream of a replica is read instead, from its oldest record"},
	OldCode:      {"old code", .3, "the invocation runs the previous version during a deployment"},
	ClockSkew:    {"clock skew", .25, "the clock of the function is up to five minutes slow or fast"},
	ExpiresLate:  {"expires late", .6, "TTL removes the item minutes or days after its expiry time"},
	ExpiresNever: {"never expires", .05, "TTL does not remove the item before the history ends"},
	ExpiresUnsigned: {"expiry unsigned", .5,
		"the record of the removal does not have the identity of TTL, as on a replica"},
}

func (f Fault) String() string { return faultData[f].name }

// Description returns what happens, in one sentence.
func (f Fault) Description() string { return faultData[f].description }

// Faults returns all faults.
func Faults() []Fault {
	all := make([]Fault, faultCount)
	for i := range all {
		all[i] = Fault(i)
	}
	return all
}

// Rates are the probabilities of faults at each opportunity. A fault that is not in Rates has its
// default rate; zero disables it.
type Rates map[Fault]float64

// Only returns rates that disable all faults except the given ones.
func Only(faults ...Fault) Rates {
	rates := Rates{}
	for f := range faultCount {
		rates[f] = 0
	}
	for _, f := range faults {
		delete(rates, f)
	}
	return rates
}

func (r Rates) of(f Fault) float64 {
	if rate, named := r[f]; named {
		return rate
	}
	return faultData[f].rate
}

// swarm is the fraction of histories in which a fault is enabled. Histories without some faults
// reach states that all faults together prevent.
const swarm = .6

// strikes reports whether a fault occurs at this opportunity, and counts it.
func (s *Sim) strikes(d Dice, f Fault) bool {
	if s.rates.of(f) == 0 || !s.dice.Part("swarm").Chance(f.String(), swarm) ||
		!d.Chance(f.String(), s.rates.of(f)) {
		return false
	}
	s.Count(f.String())
	return true
}

// logFault adds a fault to the trace.
func (s *Sim) logFault(who string, f Fault, format string, args ...any) {
	if s.trace == nil {
		return
	}
	text := f.String()
	if format != "" {
		text += ": " + fmt.Sprintf(format, args...)
	}
	s.trace.add(s.now, who, "!! "+text)
}
