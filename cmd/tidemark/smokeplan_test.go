package main

import (
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func smokePlanOf(t *testing.T, change func(*catalog.Kind), n int) *smokePlan {
	t.Helper()
	kind := iot.Readings
	if change != nil {
		change(&kind)
	}
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	p, err := makeSmokePlan(&kinds.Kinds[0], "acme:", "m", n, exportNow)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSmokePlan_SendsEveryEventSomeLateAndSomeTwice(t *testing.T) {
	p := smokePlanOf(t, nil, 200)
	sent, late, again := map[int]int{}, 0, 0
	newest := map[model.Series]model.Order{}
	for _, i := range p.arrivals {
		e := p.events[i]
		if sent[i]++; sent[i] == 2 {
			again++
		} else if e.key.Order.Compare(newest[e.key.Series]) < 0 {
			late++
		} else {
			newest[e.key.Series] = e.key.Order
		}
		if e.key.At > exportNow || e.key.Series.Subject.ID[:11] != "acme:smoke-" {
			t.Errorf("event %+v: want one of the past, of a subject that is marked", e)
		}
	}
	if len(sent) != 200 || late != 40 || again != 20 {
		t.Errorf("%d events, %d late, %d twice; want 200, 40, 20", len(sent), late, again)
	}
}

func TestSmokePlan_KeepsToTheOrderWhereLateEventsAreDropped(t *testing.T) {
	p := smokePlanOf(t, func(k *catalog.Kind) { k.Late = catalog.DropLate }, 50)
	for place, i := range p.arrivals[:50] {
		if place != i {
			t.Fatalf("event %d is sent at place %d: it would be dropped", i, place)
		}
	}
}

func TestSmokePlan_ExpectsEveryEventOnceInEveryTier(t *testing.T) {
	p := smokePlanOf(t, nil, 200)
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
	if got := p.expected(tier.Tier{Unit: tier.Hour, From: exportNow}); len(got) > smokeSubjects {
		t.Errorf("%d buckets of a tier that begins now; want those of this hour at most", len(got))
	}
}

func TestUnlike_NamesWhatDiffers(t *testing.T) {
	p := smokePlanOf(t, nil, 10)
	want := p.expected(tier.Tier{Unit: tier.Month})
	if amiss := unlike(tier.Month, p.expected(tier.Tier{Unit: tier.Month}), want); amiss != "" {
		t.Errorf("the same: %s", amiss)
	}
	wrong := p.expected(tier.Tier{Unit: tier.Month})
	for at, f := range wrong {
		other := model.DecimalOf(-1)
		f.Min = &other
		wrong[at] = f
	}
	if unlike(tier.Month, wrong, want) == "" || unlike(tier.Month, want, nil) == "" || unlike(tier.Month, nil, want) == "" {
		t.Error("a wrong minimum, a row too many or a row too few passed")
	}
}
