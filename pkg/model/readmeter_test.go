package model_test

import (
	"context"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestReadMeter_InnerReadsCountInTheOuterMeter(t *testing.T) {
	t.Parallel()
	outer, total := model.WithReadMeter(context.Background())
	inner, part := model.WithReadMeter(outer)
	model.ReadMeterFrom(outer).Add(model.ReadCost{Requests: 1, Items: 2, Units: .5})
	model.ReadMeterFrom(inner).Add(model.ReadCost{Requests: 1, Items: 10, Units: 2})
	if got, want := part.Cost(), (model.ReadCost{Requests: 1, Items: 10, Units: 2}); got != want {
		t.Errorf("inner cost %+v, want %+v", got, want)
	}
	if got, want := total.Cost(), (model.ReadCost{Requests: 2, Items: 12, Units: 2.5}); got != want {
		t.Errorf("total cost %+v, want %+v", got, want)
	}
}

func TestReadMeter_OfAContextWithoutMeterIsNil(t *testing.T) {
	t.Parallel()
	m := model.ReadMeterFrom(context.Background())
	m.Add(model.ReadCost{Requests: 1})
	if m != nil {
		t.Errorf("a context without a meter has %v", m)
	}
}

func TestReadMeter_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	ctx, meter := model.WithReadMeter(context.Background())
	var reads sync.WaitGroup
	for range 50 {
		reads.Go(func() { model.ReadMeterFrom(ctx).Add(model.ReadCost{Requests: 1, Units: .5}) })
	}
	reads.Wait()
	if got := meter.Cost(); got.Requests != 50 || got.Units != 25 {
		t.Errorf("fifty reads cost %+v", got)
	}
}
