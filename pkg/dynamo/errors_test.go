package dynamo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

type noCredentials struct{}

func (noCredentials) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
}

var (
	noon      = model.NewTime(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))
	series    = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "s1"}, Kind: "READING"}
	event     = model.Event{Series: series, Order: model.Order{At: noon, ID: "a"}}
	lateEvent = model.EventKey{Series: series, Order: model.Order{At: noon - 1}}
	// completeRow has an action of each kind: latest item, purge lock, put, absent event.
	completeRow = storage.AppendTransaction{
		Latest: &storage.LatestWrite{Series: series, First: event.Order, Last: event.Order, Set: model.Attrs{
			{Name: "size", Value: model.NumberValue(model.NewDecimal(3))},
		}, Now: noon},
		PurgeLock: &series.Subject,
		Puts:      []model.Event{event},
		Absent:    []model.EventKey{lateEvent},
	}
)

// writes has a write of each method.
var writes = map[string]func(context.Context, *dynamo.Table) (storage.WriteResult, error){
	"Append": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		stored, err := t.Append(ctx, completeRow)
		return stored.Result, err
	},
	"Put": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		stored, err := t.Put(ctx, event)
		return stored.Result, err
	},
	"PutRow": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		return t.PutRow(ctx,
			&rollup.Row{Key: rollup.Key{Series: series, Tier: "hour", Start: noon}, V: item.Version}, rollup.Rev{1})
	},
	"Quarantine": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		return t.Quarantine(ctx, storage.Quarantined{ID: "1", Source: "iot"})
	},
	"DeleteEvent": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		return t.DeleteEvent(ctx, event.Key(), noon)
	},
	"CorrectEvent": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		return t.CorrectEvent(ctx, event, noon)
	},
	"PutInvalidations": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		_, result, err := t.PutInvalidations(ctx, []storage.Invalidation{invalidation})
		return result, err
	},
	"DeleteInvalidations": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		_, result, err := t.DeleteInvalidations(ctx, []storage.Invalidation{invalidation})
		return result, err
	},
	"AdvanceSweep": func(ctx context.Context, t *dynamo.Table) (storage.WriteResult, error) {
		return t.AdvanceSweep(ctx, storage.QueueShard{Number: 1}, noon)
	},
}

var invalidation = storage.FirstGeneration.Invalidation(noon,
	rollup.Key{Series: series, Tier: "hour", Start: noon})

// unconditional are the writes without a condition: none of them can fail.
var unconditional = []string{"Quarantine", "PutInvalidations", "DeleteInvalidations"}

func TestWrites_EveryFailureIsReturnedAndNeverRetried(t *testing.T) {
	for name, c := range map[string]struct {
		server *fakeServer
		want   storage.WriteResult
	}{
		"written":                     {respondsWith(200, `{}`), storage.Written},
		"throttled":                   {respondsWith(400, exception("ThrottlingException")), storage.Throttled},
		"throughput":                  {respondsWith(400, exception("ProvisionedThroughputExceededException")), storage.Throttled},
		"account limit":               {respondsWith(400, exception("RequestLimitExceeded")), storage.Throttled},
		"a transaction under way":     {respondsWith(400, exception("TransactionConflictException")), storage.Conflicted},
		"a write in another Region":   {respondsWith(400, exception("ReplicatedWriteConflictException")), storage.Conflicted},
		"the same token under way":    {respondsWith(400, exception("TransactionInProgressException")), storage.Unknown},
		"server error":                {respondsWith(500, exception("InternalServerError")), storage.Unknown},
		"unavailable":                 {respondsWith(503, exception("ServiceUnavailable")), storage.Unknown},
		"a server error without name": {respondsWith(502, "<html>bad gateway</html>"), storage.Unknown},
		"a truncated response":        {respondsWith(200, `{"Attributes":`), storage.Unknown},
		"connection reset":            {failsWith(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), storage.Unknown},
		"connection refused":          {failsWith(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), storage.Unknown},
		"connection closed":           {failsWith(io.ErrUnexpectedEOF), storage.Unknown},
		"deadline":                    {failsWith(context.DeadlineExceeded), storage.Unknown},
	} {
		for method, write := range writes {
			t.Run(name+"/"+method, func(t *testing.T) {
				s := &fakeServer{respond: c.server.respond}
				result, err := write(t.Context(), s.table())
				if err != nil || result != c.want {
					t.Errorf("result %v, %v; want %v", result, err, c.want)
				}
				s.onlyRequest(t)
			})
		}
	}
}

func TestWrites_PermanentFailuresAreErrorsWithAdvice(t *testing.T) {
	for code, advice := range map[string]string{
		"ResourceNotFoundException":            "name and region",
		"AccessDeniedException":                "grant",
		"UnrecognizedClientException":          "credentials",
		"ExpiredTokenException":                "log in again",
		"InvalidSignatureException":            "clock",
		"ValidationException":                  "malformed",
		"IdempotentParameterMismatchException": "new token",
		"SomethingNew":                         "the server's message",
	} {
		for method, write := range writes {
			result, err := write(t.Context(), respondsWith(400, exception(code)).table())
			if err == nil || !strings.Contains(err.Error(), advice) || !strings.Contains(err.Error(), "tidemark") {
				t.Errorf("%s, %s: result %v, %v; want an error that names the table and has %q", method, code, result,
					err, advice)
			}
		}
	}
}

func TestWrites_CancelledAfterSendingAreUncertainAndBeforeAnError(t *testing.T) {
	for method, write := range writes {
		ctx, cancel := context.WithCancel(t.Context())
		s := &fakeServer{respond: func(_ int, req *http.Request) (*http.Response, error) {
			cancel()
			return nil, req.Context().Err()
		}}
		if result, err := write(ctx, s.table()); err != nil || result != storage.Unknown {
			t.Errorf("%s, cancelled after sending: result %v, %v; want unknown", method, result, err)
		}
		if result, err := write(ctx, s.table()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled before: result %v, %v; want the context's error", method, result, err)
		}
		s.onlyRequest(t)
	}
}

func TestWrites_AFailedConditionIsReturned(t *testing.T) {
	for method, write := range writes {
		if method == "Append" || slices.Contains(unconditional, method) { // Append has cancellation reasons
			continue
		}
		result, err := write(t.Context(), respondsWith(400, exception("ConditionalCheckFailedException")).table())
		if err != nil || result != storage.ConditionFailed {
			t.Errorf("%s: result %v, %v; want condition failed", method, result, err)
		}
	}
}

func TestReads_AreRetriedByTheSDK(t *testing.T) {
	s := &fakeServer{respond: func(n int, _ *http.Request) (*http.Response, error) {
		if n == 0 {
			return response(500, exception("InternalServerError")), nil
		}
		return response(200, `{}`), nil
	}}
	page, err := s.table().Events(t.Context(),
		storage.Range{Series: series, From: noon, To: noon + 1, Consistent: true})
	if err != nil || len(page.Events) != 0 || len(s.requests) != 2 {
		t.Fatalf("page %v, %v after %d requests; want an empty page after 2", page, err, len(s.requests))
	}
	if s.requests[1]["ConsistentRead"] != true {
		t.Error("the request is not consistent, want it consistent")
	}
}

func TestReads_FailWithAdvice(t *testing.T) {
	table := respondsWith(400, exception("ResourceNotFoundException")).table()
	var errs [5]error
	_, errs[0] = table.Latest(t.Context(), series, false)
	_, errs[1] = table.Events(t.Context(), storage.Range{Series: series, To: noon})
	_, errs[2] = table.Row(t.Context(), rollup.Key{Series: series, Tier: "hour"})
	_, errs[3] = table.GetItem(t.Context(), eventKey())
	_, _, errs[4] = table.Scan(t.Context(), eventKey())
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "name and region") {
			t.Errorf("read %d: error %v, want advice", i, err)
		}
	}
}
