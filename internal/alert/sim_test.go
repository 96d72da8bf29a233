package alert_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// The simulated fleet.
const (
	devices = 20
	visits  = 40 // of somebody who appends, deletes or corrects
)

// fleet is one history: devices that send readings, people who delete and correct them,
// rules, and the function behind the table stream, under every fault there is.
type fleet struct {
	*streamtest.Sim
	dice  streamtest.Dice
	table *memory.Table
	kinds *catalog.Catalog
	seen  uint64
	plant mutant
	// warm are the rules as two warm processes remember them.
	warm [2]map[string]*alert.Book

	applied map[model.Series]map[model.Order]bool // by the oracle's own count of record highs
	highest map[model.Series]model.Order
	rules   []model.Rule
	later   bool              // rules come while events do
	ended   bool              // every series has had its last event
	calls   int               // of the publisher
	notices map[keys.Key]bool // every notice that was ever stored
	told    map[keys.Key]int  // what the world was told
}

// mutant is a fault planted in the rule; the zero mutant is none.
type mutant struct {
	blind    bool // deletions and corrections are taken for inserts
	lateToo  bool // late events are taken for applied
	byRecord bool // events are tested up to the last record of the batch, not to current
	lazy     bool // nothing is written where no alert changes, deletions or not
	forgets  bool // a notice is taken for delivered once it was handed over
}

func fleetOf(s *streamtest.Sim, m mutant) {
	kinds, err := iot.Catalog()
	if err != nil {
		panic(err)
	}
	f := &fleet{Sim: s, dice: s.Dice(), kinds: kinds, plant: m,
		applied: map[model.Series]map[model.Order]bool{}, highest: map[model.Series]model.Order{},
		notices: map[keys.Key]bool{}, told: map[keys.Key]int{}}
	f.table = memory.New(s.Now)
	f.makeRules()
	settings := streamtest.Settings{
		ReportFailures: true, MaxRetries: 50, Bisect: true, Filter: deployedFilter,
		BatchSize:       []int{1000, 1, 7}[f.dice.Pick("batch size", 3)],
		Parallelization: []int{1, 2, 4}[f.dice.Pick("parallelization", 3)],
	}
	s.Deliver(streamtest.Delivery{Settings: settings, Handler: f.handler,
		GivenUp: func(_ streamtest.GivenUp, records []streamtest.Record) { f.redrive(records, 0) }})
	s.Check(f.check)
	f.plan()
}

var deployedFilter, _ = streamtest.ParseFilter(keys.AggregateFilter)

func number(text string) *model.Decimal {
	d := model.MustDecimal(text)
	return &d
}

// makeRules has rules stand from the beginning, and two more come while events do.
func (f *fleet) makeRules() {
	hot := model.Rule{Name: "too-hot", SubjectType: "DEVICE", Kind: "READING", AnyStream: true, Measure: "temperature", Bounds: model.Above, High: number("30"), Severity: model.Critical}
	odd := model.Rule{Name: "odd", SubjectType: "DEVICE", Kind: "READING", Measure: "temperature", Bounds: model.Outside, Low: number("12"), High: number("34"), Severity: model.Warning}
	own := model.Rule{Name: "too-hot", SubjectType: "DEVICE", Subject: "d0", Kind: "READING", AnyStream: true, Measure: "temperature", Bounds: model.Below, Low: number("15"), Severity: model.Info}
	f.addRule(hot)
	if f.later = f.dice.Chance("rules come later", .5); !f.later {
		f.addRule(odd)
		f.addRule(own)
		return
	}
	f.After(4*time.Minute, func() { f.addRule(odd) })
	f.After(9*time.Minute, func() { f.addRule(own) })
}

func (f *fleet) addRule(r model.Rule) {
	made, wrong, err := f.service(nil).AddRule(context.Background(), r)
	if err != nil || wrong != nil {
		f.Fail(fmt.Errorf("add rule: %v, %w", wrong, err))
	}
	f.emit("")
	f.rules = append(f.rules, made)
}

// service is the real one; p is nil for somebody whom no fault meets.
func (f *fleet) service(p *streamtest.Process) *alert.Service {
	s := &alert.Service{Store: simStore{f, f.table}, Catalog: f.kinds, Now: f.Now, Rand: f.dice.Of("hand").Rand(), Parallel: 1,
		Patience: retry.Patience{Attempts: 60, Base: 10 * time.Millisecond, Cap: 2 * time.Second}}
	if p != nil {
		s.Now, s.Rand, s.Sleep, s.Publisher = p.Now, p.Rand, p.Sleep, world{f}
		warm := f.dice.Pick("process", 2)
		if f.warm[warm] == nil {
			f.warm[warm] = map[string]*alert.Book{}
		}
		s.Remembers(f.warm[warm])
	}
	return s
}

func (f *fleet) handler(p *streamtest.Process) streamtest.Invoke {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var decoder envelope.StreamDecoder
		batch, err := decoder.Decode(payload)
		if err != nil {
			return nil, err
		}
		s := f.service(p)
		f.plantIn(s, batch.Changes)
		report := s.Look(ctx, batch.Changes)
		for name, n := range map[string]int{"looks": report.Looks, "raised": report.Raised, "recovered": report.Recovered, "withdrawn": report.Withdrawn, "changed": report.Changed} {
			f.Add(name, n)
		}
		if report.Damaged > 0 || report.Sealed > 0 {
			f.Fail(fmt.Errorf("damaged or sealed: %+v", report))
		}
		_, _ = s.Deliver(ctx, report.Told)
		answer := struct {
			Failures []map[string]string `json:"batchItemFailures"`
		}{[]map[string]string{}}
		if len(report.Failures) > 0 {
			answer.Failures = append(answer.Failures, map[string]string{"itemIdentifier": batch.Changes[report.Failures[0].Change].Seq})
		}
		return json.Marshal(answer)
	}
}

// redrive brings a batch that was given up, until it is taken.
func (f *fleet) redrive(records []streamtest.Record, try int) {
	f.After(time.Minute, func() {
		f.Invoke(fmt.Sprintf("redrive %d", try), f.dice.Of("redrive", int(f.Now()), try), records, func(taken bool) {
			if !taken {
				f.redrive(records, try+1)
			}
		})
	})
}

// finish has every series report once more, long after a process may have taken rules to
// be other than they are.
func (f *fleet) finish() {
	kind, _ := f.kinds.Kind("READING")
	service := &ingest.Service{Store: f.table, Limits: config.Default().Limits, Rand: f.dice.Of("last").Rand(), Now: f.Now}
	bySeries := func(a, b model.Series) int { return strings.Compare(a.String(), b.String()) }
	for _, s := range slices.SortedFunc(maps.Keys(f.applied), bySeries) {
		if _, err := service.AppendEvents(context.Background(), kind, []ingest.Draft{{Subject: s.Subject.ID, Stream: s.Stream, At: f.Now()}}); err != nil {
			f.Fail(err)
		}
	}
	f.ended = true
	f.emit("")
}

// plan has people and devices do things, within some hours.
func (f *fleet) plan() {
	f.After(30*time.Hour, f.finish)
	for i := range visits {
		d := f.dice.Of("visit", i)
		if !d.Chance("happens", .8) {
			continue
		}
		at := streamtest.Start.Add(d.Span("when", 20*time.Minute))
		if d.Chance("much later", .2) {
			at = at.Add(d.Span("later", 6*time.Hour))
		}
		f.At(at, func() { f.Go(fmt.Sprintf("somebody %d", i), d, func(ctx context.Context) { f.visit(ctx, d) }) })
	}
}

func (f *fleet) seriesOf(d streamtest.Dice) model.Series {
	device := d.Pick("device", devices)
	if d.Chance("one of two", .7) {
		device %= 2
	}
	s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: fmt.Sprintf("d%d", device)}, Kind: "READING"}
	if d.Chance("another stream", .2) {
		s.Stream = "roof"
	}
	return s
}

func (f *fleet) visit(ctx context.Context, d streamtest.Dice) {
	s := f.seriesOf(d)
	stood := f.events(s)
	n := d.Pick("what", 10)
	if len(stood) == 0 || n < 6 {
		f.append(ctx, d, s)
		return
	}
	e := stood[d.Pick("which", len(stood))]
	store := simStore{f, f.table}
	switch {
	case n < 9:
		_, _ = store.write(ctx, "deletes", keys.Event(e.Key()), func() (model.Answer, error) { return f.table.DeleteEvent(context.Background(), e.Key(), f.Now()) })
	default:
		e.Attrs = model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(int64(10 + d.Pick("corrected", 30))))}}
		e.Hash = model.HashOf(e.Attrs)
		_, _ = store.write(ctx, "corrects", keys.Event(e.Key()), func() (model.Answer, error) { return f.table.CorrectEvent(context.Background(), e, f.Now()) })
	}
}

// append sends a few readings: of about now, and some of before.
func (f *fleet) append(ctx context.Context, d streamtest.Dice, s model.Series) {
	kind, _ := f.kinds.Kind(s.Kind)
	service := &ingest.Service{Store: simStore{f, f.table}, Limits: config.Default().Limits, Rand: d.Rand(), Parallel: 1, Now: f.Now, Sleep: f.Sleep, Patience: retry.Patience{Attempts: 8}}
	var drafts []ingest.Draft
	for i := range 1 + d.Pick("how many", 6) {
		e := d.Of("event", i)
		at := f.Now().Add(time.Duration(i) * time.Second)
		if e.Chance("old", .3) {
			at = at.Add(-e.Span("how old", 30*time.Minute))
		}
		draft := ingest.Draft{Subject: s.Subject.ID, Stream: s.Stream, At: at}
		if !e.Chance("says nothing", .1) {
			draft.Attrs = model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(int64(10 + e.Pick("value", 30))))}}
		}
		drafts = append(drafts, draft)
	}
	_, _ = service.AppendEvents(ctx, kind, drafts)
}

// emit hands the changes of the table to its stream, and counts them.
func (f *fleet) emit(who string) {
	for _, r := range f.table.Records(f.seen) {
		f.seen = r.Seq
		if e, err := keys.ParseEvent(r.Keys); err == nil && r.Old == nil {
			f.count(e)
		}
		if _, _, _, err := keys.ParseNotice(r.Keys); err == nil && r.New != nil {
			f.notices[r.Keys] = true
		}
		f.Stream.Append(streamtest.Change{Partition: r.Keys.PK, Item: r.Keys.PK + " " + r.Keys.SK, Old: r.Old, New: r.New,
			Keys: item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}}})
	}
}

// count says by the order of commits alone whether an event was applied.
func (f *fleet) count(e model.EventKey) {
	if f.applied[e.Series] == nil {
		f.applied[e.Series] = map[model.Order]bool{}
	}
	high, any := f.highest[e.Series]
	if !any || high.Before(e.Order) {
		f.highest[e.Series] = e.Order
		f.applied[e.Series][e.Order] = true
	}
}

func (f *fleet) events(s model.Series) []model.Event {
	page, err := f.table.Events(context.Background(), model.Range{Series: s, From: model.MinTime, To: model.MaxTime})
	if err != nil {
		panic(err) // a table in memory answers
	}
	return page.Events
}

func (f *fleet) check() error {
	for s, applied := range f.applied {
		for _, e := range f.events(s) {
			if e.Late == applied[e.Order] {
				return fmt.Errorf("event %v of %s says late: %v", e.Order, s, e.Late)
			}
		}
	}
	if f.later && !f.ended {
		return nil // a rule may be new to a process, and its series not have reported since
	}
	if diff := cmp.Diff(f.expected(), f.standing()); diff != "" {
		return fmt.Errorf("alerts (-sequential pass +table):\n%s", diff)
	}
	return f.checkTold()
}

// checkTold has the schedule come, as often as it takes, and sees that nothing was
// omitted.
func (f *fleet) checkTold() error {
	s := f.service(nil)
	s.Publisher = world{f}
	s.Now = func() model.Time { return f.Now().Add(time.Hour) }
	for range 20 {
		if w, _ := s.DeliverWaiting(context.Background()); w.Left == 0 {
			break
		}
	}
	f.emit("")
	for k := range f.notices {
		if f.told[k] == 0 {
			return fmt.Errorf("nobody was told of %s", k.SK)
		}
	}
	return nil
}

var rates = streamtest.Rates{streamtest.StoppedShard: 0, streamtest.Failover: 0}

// TestSim_AlertsAreThoseOfASequentialPass plays histories of a fleet under every fault:
// TIDEMARK_HISTORIES=1000 plays so many.
func TestSim_AlertsAreThoseOfASequentialPass(t *testing.T) {
	t.Parallel()
	n := 24
	if text := os.Getenv("TIDEMARK_HISTORIES"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	trial := streamtest.Trial{Play: func(s *streamtest.Sim) { fleetOf(s, mutant{}) }, Rates: rates}
	total := map[string]int{}
	trial.Explore(1, n, func(r streamtest.Result) bool {
		r.Total(total)
		if r.Failure != nil {
			t.Errorf("seed %d: %v", r.Seed, r.Failure)
			if testing.Verbose() {
				t.Log(trial.Shrink(r.Seed))
			}
		}
		return r.Failure == nil
	})
	for _, what := range []string{"raised", "recovered", "withdrawn", "changed", "published", streamtest.Duplicate.String(), streamtest.CrashAfter.String()} {
		if total[what] == 0 {
			t.Errorf("%d histories, and nothing was %s", n, what)
		}
	}
	t.Log(n, "histories:", total)
}
