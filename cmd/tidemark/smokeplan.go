package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// smokePlan is what a smoke test sends, and what must come of it. It is made of its
// arguments alone.
type smokePlan struct {
	kind     *catalog.Kind
	mark     string   // stands in every event
	measure  string   // whose values are 1, 2, 3 …
	subjects []string // made up for this run
	events   []smokeEvent
	arrivals []int // places in events, in the order they are sent
}

// smokeEvent is one event, known in full before it is sent.
type smokeEvent struct {
	key   model.EventKey
	value int64
}

// The shape of what is sent: enough to fill several hours of two subjects, and every
// disorder that delivery knows.
const (
	smokeSubjects = 2
	smokeBack     = 3 * time.Hour // before now, the oldest event
	smokeLate     = 5             // every so many, two of a series change places
	smokeAgain    = 10            // every so many, one is sent twice
	smokeField    = "smoke"       // of every event: the mark
)

func makeSmokePlan(kind *catalog.Kind, prefix, mark string, n int, now model.Time) (*smokePlan, error) {
	if kind.IDs == catalog.MintedID {
		return nil, usagef("kind %s mints its ids at the door, so that nothing sent twice can be told: name another by --kind", kind.Name)
	}
	p := &smokePlan{kind: kind, mark: mark, measure: "value"}
	if len(kind.Measures) > 0 {
		p.measure = kind.Measures[0].Name
	}
	for i := range smokeSubjects {
		p.subjects = append(p.subjects, fmt.Sprintf("%ssmoke-%s-%d", prefix, mark, i+1))
	}
	step := smokeBack / time.Duration(n)
	for i := range n {
		order := model.Order{At: now.Add(-smokeBack + time.Duration(i)*step), ID: fmt.Sprint(i)}
		series := kind.Series(p.subjects[i%smokeSubjects], "", order)
		p.events = append(p.events, smokeEvent{model.EventKey{Series: series, Order: order}, int64(i + 1)})
	}
	p.arrange()
	return p, nil
}

// arrange has some events come late, unless the kind drops those, and some twice.
func (p *smokePlan) arrange() {
	for i := range p.events {
		p.arrivals = append(p.arrivals, i)
	}
	for i := 0; p.kind.Late == catalog.KeepLate && i+smokeSubjects < len(p.events); i += smokeLate {
		p.arrivals[i], p.arrivals[i+smokeSubjects] = p.arrivals[i+smokeSubjects], p.arrivals[i]
	}
	for i := 0; i < len(p.events); i += smokeAgain {
		p.arrivals = append(p.arrivals, i)
	}
}

// observations are what is sent, in order.
func (p *smokePlan) observations() (all []observed, err error) {
	for _, i := range p.arrivals {
		e := p.events[i]
		body, err := json.Marshal(map[string]any{
			p.kind.Subject.Field: e.key.Series.Subject.ID,
			catalog.TimeField:    e.key.At,
			catalog.IDField:      e.key.ID,
			p.measure:            e.value,
			smokeField:           p.mark,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, observed{body: body, series: e.key.Series.Subject.ID, at: e.key.At, timed: true, place: "event " + e.key.ID})
	}
	return all, nil
}

// smokeBucket is a bucket of a subject.
type smokeBucket struct {
	subject string
	start   model.Time
}

// expected are the figures of every bucket of a tier: count, sum, least and greatest.
func (p *smokePlan) expected(t tier.Tier) map[smokeBucket]query.Figures {
	all := map[smokeBucket]query.Figures{}
	sums := map[smokeBucket]int64{}
	for _, e := range p.events {
		at := smokeBucket{e.key.Series.Subject.ID, t.Unit.BucketOf(e.key.At).Start}
		if at.start < t.From {
			continue
		}
		f := all[at]
		sums[at] += e.value
		sum, value := model.DecimalOf(sums[at]), model.DecimalOf(e.value)
		if f.Count++; f.Count == 1 {
			f.Min = &value
		}
		f.Sum, f.Max = &sum, &value // values rise with time
		all[at] = f
	}
	return all
}
