package smoke

import (
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// testNow is the time of the run: 2026-04-20T14:30:00Z.
const testNow = model.Time(1_776_695_400_000)

func newPlan(t *testing.T, change func(*catalog.Kind), n int) *Plan {
	t.Helper()
	kind := iot.Readings
	if change != nil {
		change(&kind)
	}
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(&kinds.Kinds[0], "acme:", "m", n, testNow)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlan_SendsEveryEventSomeLateAndSomeTwice(t *testing.T) {
	p := newPlan(t, nil, 200)
	sent := map[int]int{}
	late := 0
	again := 0
	newest := map[model.Series]model.Order{}
	for _, i := range p.order {
		e := p.events[i]
		if sent[i]++; sent[i] == 2 {
			again++
		} else if e.key.Order.Compare(newest[e.key.Series]) < 0 {
			late++
		} else {
			newest[e.key.Series] = e.key.Order
		}
		if e.key.At > testNow || e.key.Series.Subject.ID[:11] != "acme:smoke-" {
			t.Errorf("event %+v: want one in the past, of a subject made up for the run", e)
		}
	}
	if len(sent) != 200 || late != 40 || again != 20 {
		t.Errorf("%d events, %d late, %d twice; want 200, 40, 20", len(sent), late, again)
	}
}

func TestPlan_KeepsTheOrderIfTheKindDropsLateEvents(t *testing.T) {
	p := newPlan(t, func(k *catalog.Kind) { k.Late = catalog.DropLate }, 50)
	for place, i := range p.order[:50] {
		if place != i {
			t.Fatalf("event %d is sent as number %d: it would be dropped", i, place)
		}
	}
}

func TestPlan_ExpectsEveryEventOnceInEveryTier(t *testing.T) {
	p := newPlan(t, nil, 200)
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		var count int64
		var sum float64
		for _, f := range p.expected(tier.Tier{Unit: unit}) {
			count += f.Count
			sum += f.Sum.Float64()
		}
		if count != 200 || sum != 200*201/2 {
			t.Errorf("%s: %d events, sum %g; want 200, 20100", unit, count, sum)
		}
	}
	if got := p.expected(tier.Tier{Unit: tier.Hour, From: testNow}); len(got) > subjects {
		t.Errorf("%d buckets of a tier that begins now; want at most this hour's", len(got))
	}
}

func TestCompare_NamesTheFirstDifference(t *testing.T) {
	p := newPlan(t, nil, 10)
	want := p.expected(tier.Tier{Unit: tier.Month})
	if difference := compare(tier.Month, p.expected(tier.Tier{Unit: tier.Month}), want); difference != "" {
		t.Errorf("equal rollups differ: %s", difference)
	}
	wrong := p.expected(tier.Tier{Unit: tier.Month})
	for at, f := range wrong {
		other := model.NewDecimal(-1)
		f.Min = &other
		wrong[at] = f
	}
	if compare(tier.Month, wrong, want) == "" || compare(tier.Month, want, nil) == "" ||
		compare(tier.Month, nil, want) == "" {
		t.Error("a wrong minimum, a row too many or a row too few passed")
	}
}
