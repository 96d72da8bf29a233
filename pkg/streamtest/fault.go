package streamtest

import "fmt"

// Fault is a kind of thing that goes wrong in a simulated history.
type Fault int

// The faults. Those of a request strike each request of their sort, those of a
// delivery each batch, those of the table stream each record, and so on: see What.
const (
	CrashBefore Fault = iota
	CrashAfter
	AnswerUnheard
	DeadlineMidway
	WriteLost
	AnswerLost
	LandsLate
	Throttled
	HotKeyRange
	HotAccount
	TransactionConflict
	ReadFails
	Slow
	Duplicate
	Overtaking
	ShortBatch
	Delay
	Recut
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

// faultData says of each fault what happens, and how often at each chance there is.
var faultData = [faultCount]struct {
	name string
	rate float64
	what string
}{
	CrashBefore:         {"crash before a request", .012, "the function dies and what it was about to do is not done"},
	CrashAfter:          {"crash after a request", .012, "the function dies right after a request was carried out"},
	AnswerUnheard:       {"answer unheard", .06, "the function did all its work, and its answer never arrived: a timeout, a lost connection"},
	DeadlineMidway:      {"deadline in mid-batch", .008, "the function's time is up; what it answers still counts"},
	WriteLost:           {"write lost", .03, "nothing was stored, and nobody knows"},
	AnswerLost:          {"write's answer lost", .03, "the write was stored, and nobody knows"},
	LandsLate:           {"write lands late", .02, "no answer came, and up to five minutes later the write is carried out"},
	Throttled:           {"throttled", .02, "one request is refused for its capacity"},
	HotKeyRange:         {"key range throttled", .004, "for up to a minute the requests on a part of the keys are refused"},
	HotAccount:          {"account throttled", .002, "for up to a minute every request is refused"},
	TransactionConflict: {"transaction conflict", .02, "another transaction holds one or more of the items: nothing is stored"},
	ReadFails:           {"read fails", .02, "a read is not answered"},
	Slow:                {"slow request", .06, "a request takes up to three minutes"},
	Duplicate:           {"batch delivered again", .15, "a batch comes a second time, up to hours later"},
	Overtaking:          {"batch delivered concurrently", .10, "a second invocation has the same batch at the same time"},
	ShortBatch:          {"batch cut short", .5, "a batch holds fewer records than there are"},
	Delay:               {"delayed delivery", .12, "records wait for minutes or hours"},
	Recut:               {"shard re-read from before", .08, "a few acknowledged records come again, in batches cut otherwise"},
	ReplayFromStart:     {"replay from the start", .02, "a stream shard is read again from the oldest record that is kept"},
	StoppedShard:        {"stopped shard", .02, "a stream shard is not read for hours, or for longer than it keeps its records"},
	ShardSplit:          {"shard splits", .04, "a stream shard ends and two others take its keys"},
	ShardMerge:          {"shards merge", .03, "two stream shards end and one takes their keys"},
	Failover:            {"failover to another ARN", .008, "from here on the replica's table stream is read, from the oldest record that it keeps"},
	OldCode:             {"old code", .3, "the invocation runs the version before, while there are two"},
	ClockSkew:           {"clock skew", .25, "the function's clock is up to five minutes off, either way"},
	ExpiresLate:         {"expires late", .6, "TTL removes the item minutes or days after its time"},
	ExpiresNever:        {"never expires", .05, "TTL has not removed the item by the end"},
	ExpiresUnsigned:     {"expiry unsigned", .5, "the record of the removal does not say that TTL did it, as on a replica"},
}

func (f Fault) String() string { return faultData[f].name }

// What says in a sentence what happens.
func (f Fault) What() string { return faultData[f].what }

// Faults are all there are, for reports and for catalogues.
func Faults() []Fault {
	all := make([]Fault, faultCount)
	for i := range all {
		all[i] = Fault(i)
	}
	return all
}

// Rates are how often faults strike: a probability for each chance there is. A fault
// that is not named strikes at the rate the kit gives it; zero turns one off.
type Rates map[Fault]float64

// Only are rates that let the faults named strike as usual, and no other.
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

// swarm is the part of the histories in which a fault may strike at all. Histories
// that leave some faults out reach states that all of them together prevent.
const swarm = .6

// strikes asks whether a fault strikes at this chance, and counts it.
func (s *Sim) strikes(d Dice, f Fault) bool {
	if s.rates.of(f) == 0 || !s.dice.Of("swarm").Chance(f.String(), swarm) || !d.Chance(f.String(), s.rates.of(f)) {
		return false
	}
	s.Count(f.String())
	return true
}

// tellFault puts a strike into the story.
func (s *Sim) tellFault(who string, f Fault, format string, args ...any) {
	if s.story == nil {
		return
	}
	text := f.String()
	if format != "" {
		text += ": " + fmt.Sprintf(format, args...)
	}
	s.story.add(s.now, who, "!! "+text)
}
