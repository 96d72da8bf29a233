package streamtest_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

func TestTrial_UnknownFaultFailsTheHistory(t *testing.T) {
	trial := streamtest.Trial{Setup: func(*streamtest.Sim) {}, Rates: streamtest.Only("no such fault")}
	if r := trial.Run(1); r.Failure == nil || !strings.Contains(r.Failure.Error(), "no such fault") {
		t.Errorf("got %v, want an error that names the fault", r.Failure)
	}
}

func TestDeliver_InvalidFilterFailsTheHistory(t *testing.T) {
	trial := streamtest.Trial{Setup: func(s *streamtest.Sim) {
		s.Deliver(streamtest.Delivery{Settings: streamtest.Settings{Filter: []string{"{}"}}})
	}}
	if r := trial.Run(1); r.Failure == nil {
		t.Error("the history succeeded, want an error for the filter pattern")
	}
}

func TestTable_ReturnsStoredValues(t *testing.T) {
	stored := streamtest.Item{"id": "a", "n": 1.5, "b": []byte("x"), "t": true, "z": nil}
	want := streamtest.Item{"id": "a", "n": json.Number("1.5"), "b": []byte("x"), "t": true, "z": nil}
	trial := streamtest.Trial{Rates: streamtest.Only(), Setup: func(s *streamtest.Sim) {
		table := streamtest.NewTable(s, "id")
		if err := table.Put(context.Background(), stored); err != nil {
			t.Error(err)
		}
		if got := table.All("a"); len(got) != 1 || !cmp.Equal(got[0], want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if err := table.Put(context.Background(), streamtest.Item{"id": "a", "n": []int{1}}); err == nil {
			t.Error("a list was stored, want an error")
		}
	}}
	if r := trial.Run(1); r.Failure != nil {
		t.Error(r.Failure)
	}
}

func TestDelivery_GivenUpHasTheRecords(t *testing.T) {
	for seed := range uint64(5) {
		var given []streamtest.GivenUp
		trial := streamtest.Trial{Rates: streamtest.Only(), Setup: func(s *streamtest.Sim) {
			table := streamtest.NewTable(s, "id")
			s.Deliver(streamtest.Delivery{
				Settings: streamtest.Settings{MaxRetries: 1},
				Handler: streamtest.Function(func(context.Context, []byte) ([]byte, error) {
					return nil, context.DeadlineExceeded
				}),
				GivenUp: func(g streamtest.GivenUp) { given = append(given, g) },
			})
			s.After(time.Second, func() { _ = table.Put(context.Background(), streamtest.Item{"id": "a"}) })
		}}
		if r := trial.Run(seed); r.Failure != nil {
			t.Fatalf("seed %d: %v", seed, r.Failure)
		}
		if len(given) != 1 || given[0].Condition != "RetryAttemptsExhausted" || len(given[0].Records) != 1 {
			t.Errorf("seed %d: got %+v, want one record after exhausted retries", seed, given)
		}
	}
}

func TestFaults_HaveUniqueNamesAndDescriptions(t *testing.T) {
	var names []string
	for _, f := range streamtest.Faults() {
		if f.Name == "" || f.Description == "" || slices.Contains(names, f.Name) {
			t.Errorf("fault %+v has no name, no description or the name of another fault", f)
		}
		names = append(names, f.Name)
	}
}
