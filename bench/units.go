package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// metered is a table in memory that counts the units DynamoDB would bill: a write unit
// for each KB of an item, two in a transaction, one more for its entry in an index; a
// read unit for each 4 KB of an item, or of what a page has read.
type metered struct {
	*memory.Table
	read, write int
	row         map[string]int // the largest row of a tier, in bytes
	event       int            // of an event, in bytes
}

func up(bytes, unit int) int { return max(1, (bytes+unit-1)/unit) }

func writeUnits(it item.Item) int { return up(it.Size(), 1<<10) }

func (m *metered) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if w := tx.Latest; w != nil {
		m.write += 2 * writeUnits(item.FromLatest(&model.Latest{Series: w.Series, Ordered: true, Order: w.Last,
			Hash: w.Hash, Attrs: w.Set, CreatedAt: w.Now}))
	}
	if tx.PurgeLock != nil {
		m.write += 2
	}
	m.write += 2 * len(tx.Absent)
	for i := range tx.Puts {
		it := item.FromEvent(&tx.Puts[i])
		m.event = it.Size()
		m.write += 2 * writeUnits(it)
	}
	return m.Table.Append(ctx, tx)
}

func (m *metered) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	it := item.FromEvent(&e)
	m.event = it.Size()
	m.write += writeUnits(it)
	if _, indexed := it[keys.AttrGSI2PK]; indexed {
		m.write += writeUnits(it)
	}
	return m.Table.Put(ctx, e)
}

func (m *metered) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	row, err := m.Table.Row(ctx, key)
	size := 0
	if row != nil {
		size = rowSize(row)
	}
	m.read += up(size, 4<<10)
	return row, err
}

func rowSize(row *rollup.Row) int { return must(item.FromRow(row)).Size() }

func (m *metered) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := m.Table.Events(ctx, r)
	m.read += up(len(page.Events)*m.event, 4<<10)
	return page, err
}

func (m *metered) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	page, err := m.Table.Rows(ctx, unit, r)
	size := 0
	for i := range page.Rows {
		size += rowSize(&page.Rows[i])
	}
	m.read += up(size, 4<<10)
	return page, err
}

func (m *metered) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	size := rowSize(row)
	m.write += up(size, 1<<10)
	m.row[row.Key.Tier] = max(m.row[row.Key.Tier], size)
	return m.Table.PutRow(ctx, row, prev)
}

// load is a sequence of events of one series, or of the shards of a subject.
type load struct {
	name     string
	kind     catalog.Kind
	batches  int
	of       int           // events a batch
	apart    time.Duration // events
	at       model.Time    // of the first event
	oneByOne bool          // appended singly, but processed in batches
	write    float64       // goals, an event; zero is none
	read     float64
}

func (l load) event(kind *catalog.Kind, i int) model.Event {
	at := l.at + model.Time(i)*model.Time(l.apart.Milliseconds())
	if !kind.HasLatest() {
		return view(kind, at, i)
	}
	e := reading("sensor_0001", i)
	e.At = at
	e.ArrivedAt = at + 350
	e.ExpiresAt = kind.Retention.EventExpiresAt(at + 350)
	return e
}

// view is a page view: a thousand paths, ten thousand visitors.
func view(kind *catalog.Kind, at model.Time, i int) model.Event {
	order := model.Order{At: at, ID: fmt.Sprintf("01HV%022d", i)}
	attrs := model.Attrs{
		{Name: "bytes", Value: model.NumberValue(model.NewDecimal(int64(2000 + i*37%90000)))},
		{Name: "country", Value: model.TextValue([]string{"DE", "AT", "CH", "FR", "US"}[i%5])},
		{Name: "device", Value: model.TextValue([]string{"desktop", "mobile"}[i%2])},
		{Name: "path", Value: model.TextValue(fmt.Sprintf("/articles/%d", i*i%150))},
		{Name: "status", Value: model.TextValue("200")},
		{Name: "visitor", Value: model.TextValue(fmt.Sprintf("%016x", i%10000))},
	}
	return model.Event{Series: kind.Series("example.org", "", order), Order: order, Attrs: attrs,
		Hash:      model.HashAttrs(attrs),
		ArrivedAt: at, ExpiresAt: kind.Retention.EventExpiresAt(at), IndexBy: kind.IndexBy}
}

// perEvent are the capacity units of a load.
type perEvent struct {
	*metered
	write, read float64
}

// count runs a load through append and aggregate.
func (l load) count() perEvent {
	cat := must(catalog.New(l.kind))
	kind, _ := cat.Kind(l.kind.Name)
	now := l.at
	clock := func() model.Time { return now }
	m := &metered{Table: memory.New(clock), row: map[string]int{}}
	in := &ingest.Service{Store: m, Limits: config.Default().Limits, Now: clock, Rand: rand.Reader}
	out := &aggregate.Aggregator{Store: m, Catalog: cat, Now: clock, Limits: aggregate.Limits{Concurrency: 1}}
	for batch := range l.batches {
		var changes []storage.Change
		var drafts []ingest.TypedObservation
		for i := range l.of {
			e := l.event(kind, batch*l.of+i)
			now = e.ArrivedAt
			changes = append(changes, storage.Change{Type: storage.Inserted, Key: e.Key(), Seq: fmt.Sprint(i)})
			if !kind.HasLatest() {
				must(m.Put(context.Background(), e))
				continue
			}
			drafts = append(drafts,
				ingest.TypedObservation{Subject: e.Series.Subject.ID, At: e.At, ID: e.ID, Attrs: e.Attrs})
		}
		step := max(1, len(drafts))
		if l.oneByOne {
			step = 1
		}
		for some := range slices.Chunk(drafts, step) {
			must(in.AppendEvents(context.Background(), kind, some))
		}
		if report := out.Process(context.Background(), changes); len(report.Failures) > 0 {
			panic(report.Failures[0].Err)
		}
	}
	events := float64(l.batches * l.of)
	return perEvent{metered: m, write: float64(m.write) / events, read: float64(m.read) / events}
}

// rows returns the largest row of each tier.
func (m *metered) rows() string {
	all := ""
	for _, u := range tier.Units() {
		if size := m.row[u.String()]; size > 0 {
			all += fmt.Sprintf("%s %d B ", u, size)
		}
	}
	return all
}

func counting(options) *section {
	s := &section{
		title: "Capacity units an event",
		intro: "Write and read units of append and aggregate, counted by the table in memory from the item sizes: a write unit for each " +
			"KB, two in a transaction, one for an index entry; a read unit for each 4 KB, strongly consistent. The batches of " +
			"aggregate follow from the sender's rhythm. Tiers are immediate; [COST](COST.md) has the units of deferred ones.",
		head: []string{"load", "WCU an event", "RCU an event", "an event", "largest rows"},
	}
	readings, views := iot.Readings, web.PageViews
	views.Retention.Tiers = slices.Clone(views.Retention.Tiers)
	for level := range views.Retention.Tiers {
		views.Retention.Tiers[level].Deferred = false
	}
	midnight := began - 14*3600_000
	loads := []load{
		{name: "20,000 devices, one reading of 3 measures a minute, one by one (one device for 30 days)",
			kind: readings, batches: 30 * 1440, of: 1, apart: time.Minute, at: midnight, write: 7.1, read: 9.5},
		{name: "the same in device batches of 60 (30 days)", kind: readings, batches: 30 * 24, of: 60,
			apart: time.Minute, at: midnight, write: 2.2, read: 1},
		{name: "one device, one reading a second, appended one by one, processed in one-minute batches (one day)",
			kind: readings, batches: 1440, of: 60, apart: time.Second, at: midnight, oneByOne: true, write: 4.1,
			read: 1.5},
		{name: "one site, 50 page views a second, processed every 5 s (one hour)", kind: views, batches: 720,
			of: 250, apart: 20 * time.Millisecond, at: midnight, write: 2.4},
	}
	var group errgroup.Group // counting units is not timed, so it may run concurrently
	group.SetLimit(runtime.NumCPU())
	counted := make([]perEvent, len(loads))
	for i, l := range loads {
		group.Go(func() error { counted[i] = l.count(); return nil })
	}
	_ = group.Wait() // none fails
	for i, l := range loads {
		u := counted[i]
		s.row(l.name, fmt.Sprintf("%.2f", u.write), fmt.Sprintf("%.2f", u.read), fmt.Sprintf("%d B", u.event),
			u.rows())
		s.goal(u.write <= l.write, l.name+fmt.Sprintf(": ≤ %v WCU", l.write), "%.2f", u.write)
		if l.read > 0 {
			s.goal(u.read <= l.read, l.name+fmt.Sprintf(": ≤ %v RCU", l.read), "%.2f", u.read)
		}
	}
	return s
}
