package model_test

import (
	"context"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestMeter_OfAPartCountsForTheWholeToo(t *testing.T) {
	t.Parallel()
	outer, whole := model.Metered(context.Background())
	inner, part := model.Metered(outer)
	model.MeterOf(outer).Add(model.Cost{Requests: 1, Items: 2, Units: .5})
	model.MeterOf(inner).Add(model.Cost{Requests: 1, Items: 10, Units: 2})
	if got, want := part.Cost(), (model.Cost{Requests: 1, Items: 10, Units: 2}); got != want {
		t.Errorf("the part cost %+v, want %+v", got, want)
	}
	if got, want := whole.Cost(), (model.Cost{Requests: 2, Items: 12, Units: 2.5}); got != want {
		t.Errorf("the whole cost %+v, want %+v", got, want)
	}
}

func TestMeter_NobodyCountingCountsNothing(t *testing.T) {
	t.Parallel()
	m := model.MeterOf(context.Background())
	m.Add(model.Cost{Requests: 1})
	if m != nil {
		t.Errorf("a context without a meter has %v", m)
	}
}

func TestMeter_IsSafeForConcurrentReads(t *testing.T) {
	t.Parallel()
	ctx, meter := model.Metered(context.Background())
	var reads sync.WaitGroup
	for range 50 {
		reads.Go(func() { model.MeterOf(ctx).Add(model.Cost{Requests: 1, Units: .5}) })
	}
	reads.Wait()
	if got := meter.Cost(); got.Requests != 50 || got.Units != 25 {
		t.Errorf("fifty reads cost %+v", got)
	}
}
