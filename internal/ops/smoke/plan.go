package smoke

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Plan is what a smoke test sends and which rollups it expects. It depends on nothing but
// the arguments of NewPlan.
type Plan struct {
	Kind     *catalog.Kind
	Mark     string   // a field of every event
	Subjects []string // ids made up for this run

	measure string // its values are 1, 2, 3 …
	events  []event
	order   []int // indexes of events in the order they are sent; some twice
}

// event is one event, complete before it is sent.
type event struct {
	key   model.EventKey
	value int64
}

// Enough events for several hours of two subjects, with every disorder that a delivery can have.
const (
	subjects   = 2
	timeSpan   = 3 * time.Hour // from the oldest event to now
	lateEvery  = 5             // every so many, two events of a series are swapped
	twiceEvery = 10            // every so many, one event is sent a second time
	markField  = "smoke"
)

// NewPlan returns a plan of n events up to now, of subjects whose ids begin with prefix.
// A kind with generated ids is a usage error: no event of it can be sent twice.
func NewPlan(kind *catalog.Kind, prefix, mark string, n int, now model.Time) (*Plan, error) {
	if kind.IDs == catalog.MintedID {
		return nil, usererr.Errorf(
			"kind %s generates the ids of its events, so a duplicate cannot be recognised: "+
				"choose another kind with --kind", kind.Name)
	}
	p := &Plan{Kind: kind, Mark: mark, measure: "value"}
	if len(kind.Measures) > 0 {
		p.measure = kind.Measures[0].Name
	}
	for i := range subjects {
		p.Subjects = append(p.Subjects, fmt.Sprintf("%ssmoke-%s-%d", prefix, mark, i+1))
	}
	step := timeSpan / time.Duration(n)
	for i := range n {
		order := model.Order{At: now.Add(-timeSpan + time.Duration(i)*step), ID: fmt.Sprint(i)}
		series := kind.Series(p.Subjects[i%subjects], "", order)
		p.events = append(p.events, event{model.EventKey{Series: series, Order: order}, int64(i + 1)})
	}
	p.arrange()
	return p, nil
}

// arrange decides the order of sending: some events late, unless the kind drops late events, and some twice.
func (p *Plan) arrange() {
	for i := range p.events {
		p.order = append(p.order, i)
	}
	for i := 0; p.Kind.Late == catalog.KeepLate && i+subjects < len(p.events); i += lateEvery {
		p.order[i], p.order[i+subjects] = p.order[i+subjects], p.order[i]
	}
	for i := 0; i < len(p.events); i += twiceEvery {
		p.order = append(p.order, i)
	}
}

// Sends returns how many observations are sent, duplicates included.
func (p *Plan) Sends() int { return len(p.order) }

// observations returns what is sent, in order.
func (p *Plan) observations() (all []formats.Observation, err error) {
	for _, i := range p.order {
		e := p.events[i]
		body, err := json.Marshal(map[string]any{
			p.Kind.Subject.Field: e.key.Series.Subject.ID,
			catalog.TimeField:    e.key.At,
			catalog.IDField:      e.key.ID,
			p.measure:            e.value,
			markField:            p.Mark,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, formats.Observation{Body: body, Series: e.key.Series.Subject.ID,
			At: e.key.At, Timed: true, Location: "event " + e.key.ID})
	}
	return all, nil
}

// bucket is a bucket of one subject.
type bucket struct {
	subject string
	start   model.Time
}

// expected returns the count, sum, minimum and maximum of every bucket of a tier.
func (p *Plan) expected(t tier.Tier) map[bucket]figure.Figures {
	all := map[bucket]figure.Figures{}
	sums := map[bucket]int64{}
	for _, e := range p.events {
		at := bucket{e.key.Series.Subject.ID, t.Unit.BucketAt(e.key.At).Start}
		if at.start < t.From {
			continue
		}
		f := all[at]
		sums[at] += e.value
		sum, value := model.NewDecimal(sums[at]), model.NewDecimal(e.value)
		if f.Count++; f.Count == 1 {
			f.Min = &value
		}
		f.Sum, f.Max = &sum, &value // values rise with time
		all[at] = f
	}
	return all
}
