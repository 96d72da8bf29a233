package protocol

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
)

// Faults are faults that a table has on purpose. The zero value has none.
type Faults struct {
	Seed uint64 // of the random choices
	// Rates are the probabilities of a fault at each request, or at each write. A fault that is not in it
	// does not occur.
	Rates map[simstream.Fault]float64
	// PartitionWrites and PartitionReads are the units that a partition of the table or of an index takes in
	// a second; 0 means any number. DynamoDB has 1,000 and 3,000. Unused units are kept for a second, not
	// for five minutes.
	PartitionWrites, PartitionReads float64
	// Share returns the part of these units that a partition takes, by its key; nil: each takes all of them.
	Share func(partition string) float64
	// StaleReads is for how long a read that is eventually consistent may not have a change.
	StaleReads time.Duration
	// RecordsAfter is how long after a change its record can be read from the table stream.
	RecordsAfter time.Duration
}

// slowMost is how long a slow request takes, at most. It is longer than a client of Tidemark waits.
const slowMost = 3 * time.Second

// setting is a fault that a text can set.
type setting struct {
	name, example, what string
	set                 func(f *Faults, text string) error
}

// settings are all that a text can set. Those with a probability have the names of the simulator.
var settings = []setting{
	chance(simstream.Throttled), chance(simstream.ReadFails), chance(simstream.WriteLost),
	chance(simstream.WriteUnconfirmed), chance(simstream.Slow), chance(simstream.ShardSplit),
	{
		name: "partition units", example: "1000", set: setUnits,
		what: "a partition takes so many write units in a second, and three times as many read units",
	},
	duration("stale reads", "2s", "an eventually consistent read may lack changes that are younger",
		func(f *Faults, d time.Duration) { f.StaleReads = d }),
	duration(simstream.Delay.String(), "30s",
		"a record can be read from the table stream only when it is older",
		func(f *Faults, d time.Duration) { f.RecordsAfter = d }),
}

func setUnits(f *Faults, text string) error {
	units, err := strconv.ParseFloat(text, 64)
	if err != nil || !(units >= 1 && units <= 1e9) {
		return fmt.Errorf("want units a second from 1 on, not %q", text)
	}
	f.PartitionWrites, f.PartitionReads = units, 3*units
	return nil
}

func chance(fault simstream.Fault) setting {
	set := func(f *Faults, text string) error {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return fmt.Errorf("want a probability from 0 to 1, not %q", text)
		}
		if f.Rates == nil {
			f.Rates = map[simstream.Fault]float64{}
		}
		f.Rates[fault] = p
		return nil
	}
	return setting{name: fault.String(), example: "0.05", what: fault.Description(), set: set}
}

func duration(name, example, what string, to func(f *Faults, d time.Duration)) setting {
	set := func(f *Faults, text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return fmt.Errorf("want a duration, not %q", text)
		}
		to(f, d)
		return nil
	}
	return setting{name: name, example: example, what: what, set: set}
}

// DescribeFaults returns an example of each fault that a text can set, and what it does: one line each.
func DescribeFaults() []string {
	return lists.Map(settings, func(s setting) string {
		return fmt.Sprintf("%-24s %s", s.name+"="+s.example, s.what)
	})
}

// Set sets a fault by a text such as "write lost=0.05". Words may also be joined by hyphens.
func (f *Faults) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	name = strings.ReplaceAll(strings.TrimSpace(name), "-", " ")
	known := lists.Map(settings, func(s setting) string { return s.name })
	n := slices.Index(known, name)
	switch {
	case n < 0:
		return fmt.Errorf("unknown fault %q%s: want one of %s", name, names.DidYouMean(name, known),
			strings.Join(known, ", "))
	case !found:
		return fmt.Errorf("fault %q has no value: write %s=%s", name, name, settings[n].example)
	}
	if err := settings[n].set(f, strings.TrimSpace(value)); err != nil {
		return fmt.Errorf("fault %q: %w: such as %s=%s", name, err, name, settings[n].example)
	}
	return nil
}

// faulty decides when faults occur.
type faulty struct {
	Faults

	mu     sync.Mutex // guards random
	random *rand.Rand
}

// none reports whether nothing fails, so that no table has to keep account.
func (f *Faults) none() bool {
	return len(f.Rates) == 0 && f.PartitionWrites == 0 && f.PartitionReads == 0 && f.StaleReads == 0 &&
		f.RecordsAfter == 0
}

// SetFaults gives the tables faults. Call it before any request.
func (s *Server) SetFaults(f Faults) {
	if f.none() {
		return
	}
	s.faults = &faulty{Faults: f, random: rand.New(rand.NewPCG(f.Seed, 0))}
}

// strikes reports whether a fault occurs now.
func (f *faulty) strikes(fault simstream.Fault) bool {
	if f == nil || f.Rates[fault] == 0 {
		return false
	}
	return f.draw() < f.Rates[fault]
}

// draw returns a number from 0 to 1.
func (f *faulty) draw() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.Float64()
}

// kinds of requests, by their operation.
var (
	writes = []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
	reads  = []string{"GetItem", "Query", "Scan", "BatchGetItem"}
)

// errNoResponse is the error of a request that receives no response.
var errNoResponse = errors.New("no response on purpose")

// request carries out a request with faults.
func (f *faulty) request(name string, do func() (any, error)) (any, error) {
	isWrite, isRead := slices.Contains(writes, name), slices.Contains(reads, name)
	if f == nil || !isWrite && !isRead {
		return do()
	}
	if f.strikes(simstream.Slow) {
		time.Sleep(time.Duration(f.draw() * float64(slowMost)))
	}
	switch {
	case f.strikes(simstream.Throttled):
		return nil, errThrottled
	case isRead && f.strikes(simstream.ReadFails), isWrite && f.strikes(simstream.WriteLost):
		return nil, errNoResponse
	}
	out, err := do()
	if isWrite && f.strikes(simstream.WriteUnconfirmed) {
		return nil, errNoResponse
	}
	return out, err
}

// errThrottled is the error of a request that the table or a partition does not take now.
var errThrottled error = &failure{throughput,
	"The level of configured provisioned throughput for the table was exceeded. " +
		"Consider increasing your provisioning level with the UpdateTable API."}
