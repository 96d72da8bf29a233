package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func declared() catalog.Kind {
	k := flow
	k.Measures = []rollup.MeasureSpec{{Name: "rate", Scale: 3}, {Name: "Pressure", Scale: 1, Percentiles: true}}
	k.Dimensions = []rollup.DimensionSpec{{Name: "valve"}, {Name: "mode", Top: 5}}
	k.Distinct = []string{"operator", "batch"}
	k.Enrichment = []string{"owner"}
	return k
}

func TestSpec_IsSortedAndComputedOnce(t *testing.T) {
	k, _ := mustNew(t, declared()).Kind("FLOW")
	want := &rollup.Spec{
		Measures:    []rollup.MeasureSpec{{Name: "Pressure", Scale: 1, Percentiles: true}, {Name: "rate", Scale: 3}},
		Dimensions:  []rollup.DimensionSpec{{Name: "mode", Top: 5}, {Name: "valve", Top: rollup.DefaultTop}},
		Distinct:    []string{"batch", "operator"},
		MaxMeasures: rollup.DefaultMaxMeasures,
	}
	if diff := cmp.Diff(want, k.Spec()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if first, second := k.Spec(), k.Spec(); first != second {
		t.Error("each call makes another Spec")
	}
	if k.Measures[0].Name != "rate" {
		t.Error("the order of declaration is lost")
	}
}

func TestDeclared_IsTrueOnlyForMeasures(t *testing.T) {
	k, _ := mustNew(t, declared()).Kind("FLOW")
	for name, want := range map[string]bool{"rate": true, "Pressure": true, "pressure": false, "valve": false,
		"operator": false, "owner": false, "pumpId": false, "": false} {
		if got := k.Declared(name); got != want {
			t.Errorf("Declared(%q) = %v, want %v", name, got, want)
		}
	}
	if !k.IsEnrichment("owner") || k.IsEnrichment("rate") {
		t.Error("IsEnrichment returned the same for owner and rate")
	}
}

func TestFields_AreAllDeclaredNamesWithTheirPaths(t *testing.T) {
	k := declared()
	var got []string
	for _, f := range k.Fields() {
		got = append(got, f.Path+"="+f.Name)
	}
	want := []string{
		"subject.field=pumpId", "measures.rate=rate", "measures.Pressure=Pressure", "dimensions.valve=valve",
		"dimensions.mode=mode", "distinct.operator=operator", "distinct.batch=batch", "enrichment.owner=owner",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func order(i int) model.Order {
	return model.Order{At: model.Time(1_700_000_000_000 + int64(i)*60_000), ID: fmt.Sprint(i % 3)}
}

func TestSeries_OfAnUnshardedKindHasNoShard(t *testing.T) {
	for _, shards := range []int{0, 1} {
		k := flow
		k.Shards = shards
		got := k.Series("p1", "inlet", order(1))
		want := model.Series{Subject: model.Subject{Type: "PUMP", ID: "p1"}, Kind: "FLOW", Stream: "inlet"}
		if got != want {
			t.Errorf("Shards %d: got %+v, want %+v", shards, got, want)
		}
		if all := k.ShardSeries(got); !slices.Equal(all, []model.Series{want}) {
			t.Errorf("Shards %d: ShardSeries = %+v, want the series alone", shards, all)
		}
	}
}

func TestSeries_IsOneOfTheShardsThatReadersRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := flow
		k.Shards = rapid.IntRange(0, catalog.MaxShards).Draw(t, "shards")
		id, stream := rapid.String().Draw(t, "id"), rapid.String().Draw(t, "stream")
		o := model.Order{At: model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, "at")),
			ID: rapid.String().Draw(t, "event id")}

		s := k.Series(id, stream, o)
		if s != k.Series(id, stream, o) {
			t.Fatal("a retry finds another shard")
		}
		any := s
		any.Shard = rapid.IntRange(0, 99).Draw(t, "any shard")
		all := k.ShardSeries(any)
		if len(all) != max(k.Shards, 1) || !slices.Contains(all, s) {
			t.Fatalf("%+v is not among %+v", s, all)
		}
	})
}

// Shards are part of stored keys: a changed hash would hide every stored event.
func TestSeries_ShardNeverChanges(t *testing.T) {
	k := flow
	k.Shards = 16
	var got []int
	for i := range 12 {
		got = append(got, k.Series("pump-7", "inlet", order(i)).Shard)
	}
	want := []int{12, 4, 8, 3, 5, 3, 10, 7, 3, 4, 2, 16}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSeries_DistributesEvenly(t *testing.T) {
	k := flow
	for _, k.Shards = range []int{2, 4, 7, 64} {
		const events = 64_000
		count := make([]int, k.Shards+1)
		for i := range events {
			count[k.Series("pump-7", "", order(i)).Shard]++
		}
		share := events / k.Shards
		for shard, n := range count[1:] {
			if n < share*8/10 || n > share*12/10 {
				t.Errorf("%d shards: shard %d holds %d of %d events, want about %d", k.Shards, shard+1, n, events, share)
			}
		}
	}
}
