package alert_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The simulated fleet.
const (
	devices = 20
	actions = 40 // appends, deletions and corrections
)

// fleet is one simulated history: devices send readings, users delete and correct them and
// add rules, and a function evaluates the table stream, under all kinds of faults.
type fleet struct {
	*simstream.Sim
	dice   simstream.Dice
	table  *memory.Table
	kinds  *catalog.Catalog
	seen   uint64
	mutant mutant
	// ruleCaches are the cached rules of two warm processes.
	ruleCaches [2]map[string]*alert.RuleSet

	applied       map[model.Series]map[model.Order]bool // as the oracle computes it
	highest       map[model.Series]model.Order
	rules         []storage.Rule
	later         bool              // rules are added while events arrive
	ended         bool              // every series has its last event
	calls         int               // of the publisher
	notifications map[keys.Key]bool // every notification that was stored
	delivered     map[keys.Key]int  // how often each notification was delivered
}

// mutant is a planted fault; the zero mutant has none.
type mutant struct {
	asInserts  bool // deletions and corrections are handled as inserts
	testLate   bool // late events are tested
	toRecord   bool // events are tested up to the last record of the batch, not up to the latest item
	skipState  bool // the state is not written if no alert changes, even after deletions
	acceptAll  bool // every published notification counts as delivered
	noRecall   bool // events are tested again without the readings before them
	noMemory   bool // the state of a rule has no memory
	noClear    bool // an alert ends within the bounds that raise it
	noLate     bool // late events end no silence
	noLookBack bool // a silence is tested from the change on, without the event before
}

func playFleet(s *simstream.Sim, m mutant) {
	kinds, err := iot.Catalog()
	if err != nil {
		panic(err)
	}
	f := &fleet{Sim: s, dice: s.Dice(), kinds: kinds, mutant: m,
		applied: map[model.Series]map[model.Order]bool{}, highest: map[model.Series]model.Order{},
		notifications: map[keys.Key]bool{}, delivered: map[keys.Key]int{}}
	f.table = memory.New(s.Now)
	f.makeRules()
	settings := eventsource.Settings{
		ReportFailures: true, MaxRetries: 50, Bisect: true, Filter: deployedFilter,
		BatchSize:       []int{1000, 1, 7}[f.dice.Pick("batch size", 3)],
		Parallelization: []int{1, 2, 4}[f.dice.Pick("parallelization", 3)],
	}
	s.Deliver(simstream.Delivery{Settings: settings, Handler: f.handler,
		GivenUp: func(_ eventsource.GivenUp, records []eventsource.Record) { f.redrive(records, 0) }})
	s.Check(f.check)
	f.plan()
}

var deployedFilter, _ = eventsource.ParseFilter(tablekeys.AggregateFilter)

func number(text string) *model.Decimal {
	d := model.MustDecimal(text)
	return &d
}

// rulesWithMemory end at other bounds, last for a duration or test the change between readings.
var rulesWithMemory = []storage.Rule{
	{
		Name: "calm", SubjectType: "DEVICE", Kind: "READING", AnyStream: true, Measure: "temperature",
		Bounds: storage.Outside, Low: number("14"), High: number("28"),
		ClearLow: number("18"), ClearHigh: number("22"), Severity: storage.Warning,
	},
	{
		Name: "lasting", SubjectType: "DEVICE", Kind: "READING", AnyStream: true, Measure: "temperature",
		Bounds: storage.Above, High: number("16"), ClearHigh: number("12"),
		For: times.Span(8 * time.Minute), Severity: storage.Info,
	},
	{
		Name: "fast", SubjectType: "DEVICE", Kind: "READING", AnyStream: true, Measure: "temperature",
		Test: storage.TestRate, Bounds: storage.Above, High: number("2"), Severity: storage.Info,
	},
	{
		Name: "climbing", SubjectType: "DEVICE", Kind: "READING", AnyStream: true, Measure: "temperature",
		Test: storage.TestRate, Bounds: storage.Outside, Low: number("-1000"), High: number("-3"),
		For: times.Span(2 * time.Minute), Severity: storage.Info,
	},
	{
		Name: "quiet", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Test: storage.TestSilence, For: times.Span(12 * time.Minute), Severity: storage.Warning,
	},
}

// makeRules adds rules at the start, and two more at the start or later.
func (f *fleet) makeRules() {
	hot := storage.Rule{Name: "too-hot", SubjectType: "DEVICE", Kind: "READING", AnyStream: true,
		Measure: "temperature", Bounds: storage.Above, High: number("30"), Severity: storage.Critical}
	odd := storage.Rule{Name: "odd", SubjectType: "DEVICE", Kind: "READING", Measure: "temperature",
		Bounds: storage.Outside, Low: number("12"), High: number("34"), Severity: storage.Warning}
	ofSubject := storage.Rule{Name: "too-hot", SubjectType: "DEVICE", Subject: "d0", Kind: "READING",
		AnyStream: true, Measure: "temperature", Bounds: storage.Below, Low: number("15"), Severity: storage.Info}
	f.addRule(hot)
	for _, r := range rulesWithMemory {
		f.addRule(r)
	}
	if f.later = f.dice.Chance("rules come later", .5); !f.later {
		f.addRule(odd)
		f.addRule(ofSubject)
		return
	}
	f.After(4*time.Minute, func() { f.addRule(odd) })
	f.After(9*time.Minute, func() { f.addRule(ofSubject) })
}

func (f *fleet) addRule(r storage.Rule) {
	made, wrong, err := f.service(nil).AddRule(context.Background(), r)
	if err != nil || wrong != nil {
		f.Fail(fmt.Errorf("add rule: %v, %w", wrong, err))
	}
	f.emit("")
	f.rules = append(f.rules, made)
}

// service returns the service under test; p is nil for a service without faults.
func (f *fleet) service(p *simstream.Process) *alert.Service {
	s := &alert.Service{Store: simStore{f, f.table}, Catalog: f.kinds, Now: f.Now,
		Rand: f.dice.Part("manual").Rand(), Parallel: 1,
		RetryPolicy: retry.Policy{Attempts: 60, Base: 10 * time.Millisecond, Cap: 2 * time.Second}}
	if p != nil {
		s.Now = p.Now
		s.Rand = p.Rand
		s.Sleep = p.Sleep
		s.Publisher = subscriber{f}
		process := f.dice.Pick("process", 2)
		if f.ruleCaches[process] == nil {
			f.ruleCaches[process] = map[string]*alert.RuleSet{}
		}
		s.SetRuleCache(f.ruleCaches[process])
	}
	return s
}

func (f *fleet) handler(p *simstream.Process) eventsource.Invoke {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		var decoder tablestream.Decoder
		batch, err := decoder.Decode(payload)
		if err != nil {
			return nil, err
		}
		s := f.service(p)
		f.applyMutant(s, batch.Changes)
		report := s.Evaluate(ctx, batch.Changes)
		for name, n := range map[string]int{"evaluated": report.Evaluated, "raised": report.Raised,
			"recovered": report.Recovered, "withdrawn": report.Withdrawn, "changed": report.Changed} {
			f.Add(name, n)
		}
		if report.Damaged > 0 || report.Sealed > 0 {
			f.Fail(fmt.Errorf("damaged or sealed: %+v", report))
		}
		_, _ = s.Deliver(ctx, report.Notifications)
		result := struct {
			Failures []map[string]string `json:"batchItemFailures"`
		}{[]map[string]string{}}
		if len(report.Failures) > 0 {
			result.Failures = append(result.Failures,
				map[string]string{"itemIdentifier": batch.Changes[report.Failures[0].Change].Seq})
		}
		return json.Marshal(result)
	}
}

// redrive delivers a discarded batch again until it is processed.
func (f *fleet) redrive(records []eventsource.Record, try int) {
	f.After(time.Minute, func() {
		f.Invoke(fmt.Sprintf("redrive %d", try), f.dice.Part("redrive", int(f.Now()), try), records,
			func(accepted bool) {
				if !accepted {
					f.redrive(records, try+1)
				}
			})
	})
}

// finish appends one more event to every series, after all cached rules have expired.
func (f *fleet) finish() {
	kind, _ := f.kinds.Kind("READING")
	service := &ingest.Service{Store: f.table, Limits: config.Default().Limits,
		Rand: f.dice.Part("last").Rand(),
		Now:  f.Now}
	bySeries := func(a, b model.Series) int { return strings.Compare(a.String(), b.String()) }
	for _, s := range slices.SortedFunc(maps.Keys(f.applied), bySeries) {
		if _, err := service.AppendEvents(context.Background(), kind,
			[]ingest.TypedObservation{{Subject: s.Subject.ID, Stream: s.Stream, At: f.Now()}}); err != nil {
			f.Fail(err)
		}
	}
	f.ended = true
	f.emit("")
}

// plan schedules the actions of users and devices, within some hours.
func (f *fleet) plan() {
	f.After(30*time.Hour, f.finish)
	for i := range 60 {
		d := f.dice.Part("sweep", i)
		at := simstream.Start.Add(d.Span("when", 9*time.Hour))
		f.At(at, func() { f.Go(fmt.Sprintf("sweep %d", i), d, func(ctx context.Context) { f.sweep(ctx, d) }) })
	}
	for i := range actions {
		d := f.dice.Part("action", i)
		if !d.Chance("happens", .8) {
			continue
		}
		at := simstream.Start.Add(d.Span("when", 20*time.Minute))
		if d.Chance("much later", .2) {
			at = at.Add(d.Span("later", 6*time.Hour))
		}
		f.At(at, func() { f.Go(fmt.Sprintf("action %d", i), d, func(ctx context.Context) { f.act(ctx, d) }) })
	}
}

// laggingStream is a table stream that is behind.
type laggingStream struct{ through model.Time }

func (l laggingStream) StreamState(context.Context) (storage.StreamState, error) {
	return storage.StreamState{Progress: l.through}, nil
}

func (l laggingStream) Sweeps(context.Context) (storage.LowWatermarks, error) {
	return storage.LowWatermarks{}, nil
}

// sweep looks for silent series, in a process whose requests may fail.
func (f *fleet) sweep(ctx context.Context, d simstream.Dice) {
	s := f.service(nil)
	s.Sleep, s.Rand = f.Sleep, d.Rand()
	s.Stream = laggingStream{f.Now().Add(-d.Span("lag", 10*time.Minute))}
	_ = s.FindSilent(ctx) // the next one finds what this one does not
}

// aDayLater is the time of the last sweep: the newest event of a series may have been deleted, and the latest
// item of this table does not follow.
func (f *fleet) aDayLater() model.Time { return f.Now().Add(24 * time.Hour) }

// findSilent looks for silent series without faults, at the end.
func (f *fleet) findSilent() error {
	s := f.service(nil)
	s.Now, s.Stream = f.aDayLater, laggingStream{f.aDayLater()}
	err := s.FindSilent(context.Background())
	f.emit("")
	return err
}

func (f *fleet) pickSeries(d simstream.Dice) model.Series {
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

func (f *fleet) act(ctx context.Context, d simstream.Dice) {
	s := f.pickSeries(d)
	events := f.events(s)
	n := d.Pick("what", 10)
	if len(events) == 0 || n < 6 {
		f.append(ctx, d, s)
		return
	}
	e := events[d.Pick("which", len(events))]
	store := simStore{f, f.table}
	switch {
	case n < 9:
		_, _ = store.write(ctx, "deletes", keys.Event(e.Key()), func() (storage.WriteResult, error) {
			return f.table.DeleteEvent(context.Background(), e.Key(), f.Now())
		})
	default:
		e.Attrs = model.Attrs{{Name: "temperature",
			Value: model.NumberValue(model.NewDecimal(int64(10 + d.Pick("corrected", 30))))}}
		e.Hash = model.HashAttrs(e.Attrs)
		_, _ = store.write(ctx, "corrects", keys.Event(e.Key()), func() (storage.WriteResult, error) {
			return f.table.CorrectEvent(context.Background(), e, f.Now())
		})
	}
}

// append sends a few readings; some of them are old.
func (f *fleet) append(ctx context.Context, d simstream.Dice, s model.Series) {
	kind, _ := f.kinds.Kind(s.Kind)
	service := &ingest.Service{Store: simStore{f, f.table}, Limits: config.Default().Limits, Rand: d.Rand(),
		Parallel: 1, Now: f.Now, Sleep: f.Sleep, RetryPolicy: retry.Policy{Attempts: 8}}
	var observations []ingest.TypedObservation
	for i := range 1 + d.Pick("how many", 6) {
		e := d.Part("event", i)
		at := f.Now().Add(time.Duration(i) * time.Second)
		if e.Chance("old", .3) {
			at = at.Add(-e.Span("how old", 30*time.Minute))
		}
		draft := ingest.TypedObservation{Subject: s.Subject.ID, Stream: s.Stream, At: at}
		if !e.Chance("says nothing", .1) {
			draft.Attrs = model.Attrs{{Name: "temperature",
				Value: model.NumberValue(model.NewDecimal(int64(10 + e.Pick("value", 30))))}}
		}
		observations = append(observations, draft)
	}
	_, _ = service.AppendEvents(ctx, kind, observations)
}

// emit sends the changes of the table to its stream, and counts them.
func (f *fleet) emit(who string) {
	for _, r := range f.table.Records(f.seen) {
		f.seen = r.Seq
		if e, err := keys.ParseEvent(r.Keys); err == nil && r.Old == nil {
			f.count(e)
		}
		if _, _, _, err := tablekeys.ParseNotification(r.Keys); err == nil && r.New != nil {
			f.notifications[r.Keys] = true
		}
		f.Stream.Append(simstream.Change{Partition: r.Keys.PK, Item: r.Keys.PK + " " + r.Keys.SK, Old: r.Old,
			New:  r.New,
			Keys: item.Item{keys.AttrPK: {Type: item.S, S: r.Keys.PK}, keys.AttrSK: {Type: item.S, S: r.Keys.SK}}})
	}
}

// count computes from the order of commits whether an event was applied.
func (f *fleet) count(e model.EventKey) {
	if f.applied[e.Series] == nil {
		f.applied[e.Series] = map[model.Order]bool{}
	}
	high, any := f.highest[e.Series]
	if !any || high.Before(e.Order) {
		f.highest[e.Series] = e.Order
		f.applied[e.Series][e.Order] = true
		f.list(e)
	}
}

// list puts the series of an event into the list of series, as the aggregate function does.
func (f *fleet) list(e model.EventKey) {
	hour := tier.Hour.BucketAt(e.Order.At).Start
	entry := storage.ListedSeries{Series: e.Series, First: hour, Last: hour}
	if err := f.table.PutItem(context.Background(), item.FromListedSeries(entry)); err != nil {
		f.Fail(err)
	}
}

func (f *fleet) events(s model.Series) []model.Event {
	page, err := f.table.Events(context.Background(),
		storage.Range{Series: s, From: model.MinTime, To: model.MaxTime})
	if err != nil {
		panic(err) // a table in memory does not fail
	}
	return page.Events
}

func (f *fleet) check() error {
	for s, applied := range f.applied {
		for _, e := range f.events(s) {
			if e.Late == applied[e.Order] {
				return fmt.Errorf("event %v of %s has late %v", e.Order, s, e.Late)
			}
		}
	}
	if f.later && !f.ended {
		return nil // a process may not know a rule yet, and the series has no event since
	}
	// The last sweep evaluates all rules: before it, the others have their alerts by the changes alone.
	if diff := cmp.Diff(withoutSilences(f.expected()), withoutSilences(f.stored())); diff != "" {
		return fmt.Errorf("alerts of measures (-sequential pass +table):\n%s", diff)
	}
	if err := f.findSilent(); err != nil {
		return err
	}
	if diff := cmp.Diff(f.expected(), f.stored()); diff != "" {
		return fmt.Errorf("alerts (-sequential pass +table):\n%s", diff)
	}
	return f.checkDelivered()
}

func withoutSilences(alerts map[string]string) map[string]string {
	maps.DeleteFunc(alerts, func(_, text string) bool { return strings.Contains(text, " quiet.") })
	return alerts
}

// checkDelivered runs the scheduled delivery until nothing is left, and checks that every
// notification was delivered.
func (f *fleet) checkDelivered() error {
	s := f.service(nil)
	s.Publisher = subscriber{f}
	s.Now = func() model.Time { return f.aDayLater().Add(time.Hour) }
	for range 20 {
		if w, _ := s.DeliverPending(context.Background()); w.Left == 0 {
			break
		}
	}
	f.emit("")
	for k := range f.notifications {
		if f.delivered[k] == 0 {
			return fmt.Errorf("notification %s was not delivered", k.SK)
		}
	}
	return nil
}

var rates = simstream.Rates{simstream.StoppedShard: 0, simstream.Failover: 0}

// TestSim_AlertsAreThoseOfASequentialPass plays histories of a fleet under all kinds of
// faults.
func TestSim_AlertsAreThoseOfASequentialPass(t *testing.T) {
	t.Parallel()
	n := testenv.Histories(24, 200)
	trial := simstream.Trial{Setup: func(s *simstream.Sim) { playFleet(s, mutant{}) }, Rates: rates}
	total := map[string]int{}
	trial.Explore(1, n, func(r simstream.Result) bool {
		r.Total(total)
		if r.Failure != nil {
			t.Errorf("seed %d: %v", r.Seed, r.Failure)
			if testing.Verbose() {
				t.Log(trial.Shrink(r.Seed))
			}
		}
		return r.Failure == nil
	})
	for _, rule := range []string{"too-hot", "odd", "calm", "lasting", "fast", "climbing", "quiet"} {
		if total["alerts of "+rule] == 0 {
			t.Errorf("%d histories had no alert of the rule %s", n, rule)
		}
	}
	for _, what := range []string{"raised", "recovered", "withdrawn", "changed", "published",
		simstream.Duplicate.String(), simstream.CrashAfter.String()} {
		if total[what] == 0 {
			t.Errorf("%d histories had no %q", n, what)
		}
	}
	t.Log(n, "histories:", total)
}
