package patterns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// store is a table, in memory or of DynamoDB.
type store interface {
	alert.Store
	ingest.EditStore
	ingest.QuarantineStore
	ingest.PurgeLocks
	query.Store
	verify.SeriesReader
	lifecycle.Store
	lifecycle.Eraser
}

// newWorld returns a world with the kinds that ship and a fixed clock.
func newWorld(s store) (*world, error) {
	settings := config.Default(declared()...)
	settings.Retention = tier.Standard() // as below, the requests of closed buckets: open ones are folded
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	for i := range kinds.Kinds {
		if k := &kinds.Kinds[i]; k.HasEvents() {
			k.Retention = immediate(k.Retention)
		}
	}
	pageViews := web.PageViews
	pageViews.Retention = immediate(pageViews.Retention)
	clock := func() model.Time { return at(now) }
	chance := dice()
	opts := &timeseries.Options{Now: func() time.Time { return now }}
	grouped := iot.Readings
	grouped.Groups = []string{"site"}
	readings, err := timeseries.Open[Reading](s, grouped, opts)
	if err != nil {
		return nil, err
	}
	sites, err := readings.Groups("site")
	if err != nil {
		return nil, err
	}
	views, err := timeseries.Open[PageView](s, pageViews, opts)
	if err != nil {
		return nil, err
	}
	return &world{
		kinds:    kinds,
		readings: readings,
		sites:    sites,
		views:    views,
		subjects: &lifecycle.Service{Store: s, Profile: kinds.Profile, Limits: settings.Limits, Now: clock, Rand: chance},
		purger:   &lifecycle.Purger{Store: s, Now: clock, Rand: chance},
		ingest:   &ingest.Service{Store: s, QuarantineStore: s, PurgeLocks: s, Limits: settings.Limits, Now: clock, Rand: chance},
		buckets:  &verify.BucketVerifier{Store: s, Now: clock},
		query:    &query.Service{Store: s, Now: clock, CursorKey: []byte("the key of a page that is written")},
		alerts:   &alert.Service{Store: s, Catalog: kinds, Now: clock, Rand: chance, Parallel: 1},
	}, nil
}

// declared returns the kinds that ship, with groups of readings by site.
func declared() []catalog.Kind {
	kinds := domains.Kinds()
	for i := range kinds {
		if kinds[i].Name == iot.Readings.Name {
			kinds[i].Groups = []string{"site"}
		}
	}
	return kinds
}

// immediate returns a policy without deferred tiers.
func immediate(p tier.Policy) tier.Policy {
	p.Tiers = slices.Clone(p.Tiers)
	for level := range p.Tiers {
		p.Tiers[level].Deferred, p.Tiers[level].Grace = false, 0
	}
	return p
}

// dice returns a random source with a fixed seed.
func dice() io.Reader { return rand.NewChaCha8([32]byte{1}) }

// seeded returns a world with a table in memory: a year of a device, hourly since March, a
// day of a website, profiles, a purge and alerts.
func seeded(ctx context.Context) (*world, *memory.Table, error) {
	table := memory.New(func() model.Time { return at(now) })
	w, err := newWorld(table)
	if err != nil {
		return nil, nil, err
	}
	fold := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: w.kinds,
		Now: func() model.Time { return at(now) }, Rand: dice()}
	for _, add := range []func(context.Context, *world) error{measure, furnish, visit, live} {
		if err := add(ctx, w); err != nil {
			return nil, nil, err
		}
	}
	var changes []storage.Change
	for _, r := range table.Records(0) {
		if key, err := keys.ParseEvent(r.Keys); err == nil {
			changes = append(changes,
				storage.Change{Type: storage.Inserted, Key: key, Seq: fmt.Sprint(r.Seq), At: r.At})
		}
	}
	if report := fold.Process(ctx, changes); len(report.Failures) > 0 {
		return nil, nil, fmt.Errorf("fold: %+v", report.Failures)
	}
	if err := foldSite(ctx, w, table); err != nil {
		return nil, nil, err
	}
	return w, table, alarm(ctx, w, table, changes)
}

// alarm adds a rule that applies since March, and evaluates it on the readings.
func alarm(ctx context.Context, w *world, table *memory.Table, changes []storage.Change) error {
	early := &alert.Service{Store: table, Catalog: w.kinds, Now: func() model.Time { return at(march) },
		Rand: dice()}
	hot := model.MustDecimal("24")
	for _, of := range []string{"", "sensor_01"} {
		rule := storage.Rule{Name: "too-hot", SubjectType: "DEVICE", Subject: of, Kind: "READING",
			Measure: "temperature", Bounds: storage.Above, High: &hot, Severity: storage.Critical}
		if _, wrong, err := early.AddRule(ctx, rule); err != nil || len(wrong) > 0 {
			return fmt.Errorf("add a rule: %v, %w", wrong, err)
		}
	}
	if report := w.alerts.Evaluate(ctx, changes); len(report.Failures) > 0 {
		return fmt.Errorf("evaluate the rules: %+v", report.Failures)
	}
	page, err := w.alerts.ListBySubject(ctx, device, alert.Filter{}, alert.Cursor{}, 1)
	if err == nil && len(page.Alerts) == 0 {
		return errors.New("the rule raised no alert")
	}
	return err
}

func measure(ctx context.Context, w *world) error {
	var drafts []ingest.TypedObservation
	add := func(stream string, at model.Time) {
		drafts = append(drafts,
			ingest.TypedObservation{Subject: "sensor_01", Stream: stream, At: at, Attrs: model.Attrs{
				{Name: "humidity", Value: number(40 + at.Seconds()/3600%19)}, {Name: "temperature", Value: number(15 + at.Seconds()/3600%11)},
			}})
	}
	for t := at(year.Add(12 * time.Hour)); t < at(march); t = t.Add(tier.Day24) {
		add("", t)
	}
	for t := at(march); t < at(now); t = t.Add(time.Hour) {
		add("", t)
		add("outside", t)
	}
	return w.take(ctx, "READING", drafts)
}

func visit(ctx context.Context, w *world) error {
	var views, requests []ingest.TypedObservation
	for i := range 400 {
		d := ingest.TypedObservation{Subject: "my-site", At: at(today).Add(time.Duration(i*130) * time.Second),
			ID: fmt.Sprintf("%04d", i), Attrs: model.Attrs{
				{Name: "bytes", Value: number(int64(900 + i))}, {Name: "path", Value: model.TextValue(fmt.Sprintf("/page/%d", i%17))},
				{Name: "visitor", Value: model.TextValue(fmt.Sprintf("v%d", i%20))},
			}}
		views, requests = append(views, d), append(requests, d)
	}
	if err := w.take(ctx, "PAGEVIEW", views); err != nil {
		return err
	}
	return w.take(ctx, "REQUEST", requests)
}

func number(n int64) model.Value { return model.NumberValue(model.MustDecimal(fmt.Sprint(n))) }

// take appends observations; the error says if one of them was not stored.
func (w *world) take(ctx context.Context, kind string, drafts []ingest.TypedObservation) error {
	k, _ := w.kinds.Kind(kind)
	outcomes, err := w.ingest.AppendEvents(ctx, k, drafts)
	for _, o := range outcomes {
		if o.Outcome != model.Applied && o.Outcome != model.Late {
			return fmt.Errorf("%s: %s %v", o.Key, o.Outcome, o.Errors)
		}
	}
	return err
}

func live(ctx context.Context, w *world) error {
	for i := range 25 {
		s := model.Subject{Type: "DEVICE", ID: fmt.Sprintf("sensor_%02d", i+1)}
		if err := made(w.subjects.Create(ctx, s, model.Attrs{{Name: "name", Value: model.TextValue("Hall")},
			{Name: "status", Value: model.TextValue("active")}})); err != nil {
			return err
		}
	}
	for i := range 3 {
		if err := made(w.subjects.Update(ctx, device, model.Attrs{{Name: "floor", Value: number(int64(i))}},
			0)); err != nil {
			return err
		}
	}
	if err := made(w.subjects.Create(ctx, site,
		model.Attrs{{Name: "name", Value: model.TextValue("My site")}})); err != nil {
		return err
	}
	if err := made(w.subjects.Delete(ctx, model.Subject{Type: "DEVICE", ID: "sensor_07"}, 0)); err != nil {
		return err
	}
	_, err := w.purger.Request(ctx, model.Subject{Type: "DEVICE", ID: "sensor_08"}, "ops", tier.Day24)
	return err
}

// made returns an error if a change was not made.
func made(o lifecycle.Result, err error) error {
	switch o.Outcome {
	case lifecycle.Created, lifecycle.Updated, lifecycle.Deleted:
		return err
	}
	return fmt.Errorf("the change was not made: %s, %w", o.Outcome, err)
}
