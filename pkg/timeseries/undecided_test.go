package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// openOn opens iot.Readings on a store, with one attempt for each request.
func openOn(t *testing.T, store timeseries.Store, kind catalog.Kind,
	opts timeseries.Options) *timeseries.Events[Reading] {
	t.Helper()
	opts.Now = clock
	events, err := timeseries.Open[Reading](store, kind, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func withoutLatest() catalog.Kind {
	kind := iot.Readings
	kind.Latest = catalog.NoLatest
	return kind
}

// Nothing is stored, so the error is not nil.
func TestAppend_UndecidedIsAnErrorWithItsCause(t *testing.T) {
	t.Parallel()
	v := Reading{Device: "sensor_01", At: today, Location: "hall"}
	busy := &storetest.FaultyStore{Store: newTable(),
		Writes: storetest.FailRandomly(newRand(), 1, storetest.Throttle)}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	late, stop := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer stop()
	for name, kind := range map[string]catalog.Kind{"a kind with latest item": iot.Readings,
		"a kind without": withoutLatest()} {
		for _, c := range []struct {
			name  string
			ctx   context.Context
			store timeseries.Store
			opts  timeseries.Options
			cause error // ErrUndecided alone if nil
		}{
			{"a busy table", context.Background(), busy, timeseries.Options{Attempts: 1}, nil},
			{"a busy table, out of patience", context.Background(), busy, timeseries.Options{Patience: time.Millisecond, Attempts: 1e6}, context.DeadlineExceeded},
			{"a cancelled context", canceled, newTable(), timeseries.Options{}, context.Canceled},
			{"a deadline in the past", late, newTable(), timeseries.Options{}, context.DeadlineExceeded},
		} {
			events := openOn(t, c.store, kind, c.opts)
			result, err := events.Append(c.ctx, v)
			if !errors.Is(err, timeseries.ErrUndecided) || c.cause != nil && !errors.Is(err, c.cause) ||
				result.Outcome != "" || result.Err == nil {
				t.Errorf("%s: %s: %+v, %v; want ErrUndecided and %v", name, c.name, result, err, c.cause)
			}
			results, err := events.AppendAll(c.ctx,
				[]Reading{v, {Device: "sensor_02", At: today}, {Device: "sensor_03"}})
			if !errors.Is(err, timeseries.ErrUndecided) || !errors.Is(err, timeseries.ErrRejected) {
				t.Errorf("%s: %s: a batch: %v, want both errors", name, c.name, err)
			}
			for i, want := range []error{timeseries.ErrUndecided, timeseries.ErrUndecided, timeseries.ErrRejected} {
				if !errors.Is(results[i].Err, want) || results[i].Outcome != "" {
					t.Errorf("%s: %s: value %d: %+v, want %v", name, c.name, i, results[i], want)
				}
			}
			if !kind.HasLatest() {
				continue
			}
			if result, err := events.Append(c.ctx, v, timeseries.If("location", model.Missing, nil)); !errors.Is(err,
				timeseries.ErrUndecided) || result.Outcome != "" {
				t.Errorf("%s: on a condition: %+v, %v; want ErrUndecided", c.name, result, err)
			}
		}
	}
}

// The error of the client is part of the error, so that a program can branch on it.
func TestAppend_UndecidedWrapsTheErrorOfTheClient(t *testing.T) {
	t.Parallel()
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer failing.Close()
	client := dynamodb.New(dynamodb.Options{
		Region: "eu-west-1", BaseEndpoint: &failing.URL, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
	for _, kind := range []catalog.Kind{iot.Readings, withoutLatest()} {
		events := openOn(t, dynamo.New(client, "none"), kind, timeseries.Options{Attempts: 1})
		_, err := events.Append(context.Background(), Reading{Device: "sensor_01", At: today})
		var response *smithyhttp.ResponseError
		if !errors.Is(err, timeseries.ErrUndecided) || !errors.As(err, &response) ||
			response.HTTPStatusCode() != http.StatusInternalServerError {
			t.Errorf("got %v, want ErrUndecided and the response of the server", err)
		}
	}
}

// What a repetition cannot mend is not undecided: a loop of the program ends.
func TestAppend_AMissingTableAndPermissionArePermanent(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"ResourceNotFoundException", "AccessDeniedException",
		"UnrecognizedClientException", "ExpiredTokenException"} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Content-Type", "application/x-amz-json-1.0")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"no"}`, code)
		}))
		defer server.Close()
		client := dynamodb.New(dynamodb.Options{
			Region: "eu-west-1", BaseEndpoint: &server.URL, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
			}),
		})
		for name, kind := range map[string]catalog.Kind{"with latest items": iot.Readings,
			"without": withoutLatest()} {
			requests = 0
			store := dynamo.New(client, "none")
			_, err := openOn(t, store, kind, timeseries.Options{}).Append(t.Context(),
				Reading{Device: "sensor_01", At: today})
			if !errors.Is(err, timeseries.ErrPermanent) || errors.Is(err, timeseries.ErrUndecided) ||
				errors.Is(err, timeseries.ErrRejected) {
				t.Errorf("%s: %s: %v, want ErrPermanent alone", name, code, err)
			}
			if requests > 4 {
				t.Errorf("%s: %s: %d requests, want no repetition", name, code, requests)
			}
		}
	}
}

// A permanent error leaves the other series of a batch alone.
func TestAppendAll_APermanentErrorIsThatOfItsValues(t *testing.T) {
	t.Parallel()
	events := openOn(t, &broken{Store: newTable(), device: "sensor_02"}, withoutLatest(), timeseries.Options{})
	results, err := events.AppendAll(context.Background(),
		[]Reading{{Device: "sensor_01", At: today}, {Device: "sensor_02", At: today}})
	if !errors.Is(err, errBroken) || errors.Is(err, timeseries.ErrUndecided) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
	if results[0].Outcome != model.Applied || results[0].Err != nil || !errors.Is(results[1].Err, errBroken) {
		t.Errorf("got %+v, want the first applied and the error in the second", results)
	}
}

func TestOpen_RejectsImpossibleOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []timeseries.Options{{Attempts: -1}, {Patience: -1}, {Parallel: -1},
		{Limits: timeseries.Limits{Text: -1}}, {Limits: timeseries.Limits{MaxAhead: -1}}} {
		if _, err := timeseries.Open[Reading](newTable(), iot.Readings, &o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// The ledger of the example books each payment once, with clerks at the same time and lost responses.
func TestLedger_BooksEachPaymentOnce(t *testing.T) {
	t.Parallel()
	table := timeseriestest.New(t, today)
	options := table.Options()
	options.Attempts = 2 // so that some appends stay undecided
	ledger, err := timeseries.Open[Entry](table, entries, options)
	if err != nil {
		t.Fatal(err)
	}
	const clerks, payments = 4, 12
	var running sync.WaitGroup
	for clerk := range clerks {
		running.Go(func() {
			for n := range payments {
				table.Fail("lost response", n%3)
				if out, err := book(t.Context(), ledger, "alice", fmt.Sprint(clerk, "-", n), 1); err != nil ||
					!strings.HasPrefix(out, "booked") {
					t.Errorf("payment %d of clerk %d: %s, %v", n, clerk, out, err)
				}
			}
		})
	}
	running.Wait()
	seen, number := map[string]bool{}, int64(0)
	for e, err := range ledger.History(t.Context(), timeseries.Key{Subject: "alice"}) {
		if number++; err != nil || e.Number != number || e.Balance != number || seen[e.Payment] {
			t.Errorf("entry %d: %+v, %v; want the next, of another payment", number, e, err)
		}
		seen[e.Payment] = true
	}
	if number != clerks*payments {
		t.Errorf("%d entries, want %d", number, clerks*payments)
	}
}
