package dynamo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

type anonymous struct{}

func (anonymous) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
}

var (
	noon   = model.TimeOf(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))
	series = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "s1"}, Kind: "READING"}
	event  = model.Event{Series: series, Order: model.Order{At: noon, ID: "a"}}
	late   = model.EventKey{Series: series, Order: model.Order{At: noon - 1}}
	// whole has an action of each sort: current, gate, put, absent.
	whole = ingest.Transaction{
		Current: &ingest.CurrentWrite{Series: series, First: event.Order, Last: event.Order, Set: model.Attrs{
			{Name: "size", Value: model.NumberValue(model.DecimalOf(3))},
		}, Now: noon},
		Gate:   &series.Subject,
		Puts:   []model.Event{event},
		Absent: []model.EventKey{late},
	}
)

// writes are all writes that are answered.
var writes = map[string]func(context.Context, *dynamo.Table) (model.Answer, error){
	"Append": func(ctx context.Context, t *dynamo.Table) (model.Answer, error) {
		reply, err := t.Append(ctx, whole)
		return reply.Answer, err
	},
	"Put": func(ctx context.Context, t *dynamo.Table) (model.Answer, error) {
		reply, err := t.Put(ctx, event)
		return reply.Answer, err
	},
	"PutRow": func(ctx context.Context, t *dynamo.Table) (model.Answer, error) {
		return t.PutRow(ctx, &rollup.Row{Key: rollup.Key{Series: series, Tier: "hour", Start: noon}, V: item.Version}, rollup.Rev{1})
	},
	"Quarantine": func(ctx context.Context, t *dynamo.Table) (model.Answer, error) {
		return t.Quarantine(ctx, model.Quarantined{ID: "1", Door: "iot"})
	},
	"DeleteEvent": func(ctx context.Context, t *dynamo.Table) (model.Answer, error) {
		return t.DeleteEvent(ctx, event.Key(), noon)
	},
	"CorrectEvent": func(ctx context.Context, t *dynamo.Table) (model.Answer, error) {
		return t.CorrectEvent(ctx, event, noon)
	},
}

func TestWrites_EveryFailureIsAnsweredOnceAndNeverRetried(t *testing.T) {
	for name, c := range map[string]struct {
		server *server
		want   model.Answer
	}{
		"written":                     {says(200, `{}`), model.Written},
		"throttled":                   {says(400, exception("ThrottlingException")), model.Throttled},
		"throughput":                  {says(400, exception("ProvisionedThroughputExceededException")), model.Throttled},
		"account limit":               {says(400, exception("RequestLimitExceeded")), model.Throttled},
		"a transaction under way":     {says(400, exception("TransactionConflictException")), model.Conflicting},
		"another region's write":      {says(400, exception("ReplicatedWriteConflictException")), model.Conflicting},
		"the same token under way":    {says(400, exception("TransactionInProgressException")), model.Uncertain},
		"server error":                {says(500, exception("InternalServerError")), model.Uncertain},
		"unavailable":                 {says(503, exception("ServiceUnavailable")), model.Uncertain},
		"a server error without name": {says(502, "<html>bad gateway</html>"), model.Uncertain},
		"an answer cut short":         {says(200, `{"Attributes":`), model.Uncertain},
		"connection reset":            {fails(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), model.Uncertain},
		"connection refused":          {fails(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), model.Uncertain},
		"connection closed":           {fails(io.ErrUnexpectedEOF), model.Uncertain},
		"deadline":                    {fails(context.DeadlineExceeded), model.Uncertain},
	} {
		for method, write := range writes {
			t.Run(name+"/"+method, func(t *testing.T) {
				s := &server{answer: c.server.answer}
				answer, err := write(t.Context(), s.table())
				if err != nil || answer != c.want {
					t.Errorf("answer %v, %v; want %v", answer, err, c.want)
				}
				s.sent(t)
			})
		}
	}
}

func TestWrites_WhatNoRetryMendsIsAnErrorThatSaysWhatToDo(t *testing.T) {
	for code, advice := range map[string]string{
		"ResourceNotFoundException":            "name and region",
		"AccessDeniedException":                "grant",
		"UnrecognizedClientException":          "credentials",
		"ExpiredTokenException":                "log in again",
		"InvalidSignatureException":            "clock",
		"ValidationException":                  "malformed",
		"IdempotentParameterMismatchException": "new token",
		"SomethingNew":                         "the server's words",
	} {
		for method, write := range writes {
			answer, err := write(t.Context(), says(400, exception(code)).table())
			if err == nil || !strings.Contains(err.Error(), advice) || !strings.Contains(err.Error(), "tidemark") {
				t.Errorf("%s, %s: answer %v, %v; want an error that names the table and has %q", method, code, answer, err, advice)
			}
		}
	}
}

func TestWrites_CancelledMidwayIsUncertainAndBeforehandAnError(t *testing.T) {
	for method, write := range writes {
		ctx, cancel := context.WithCancel(t.Context())
		s := &server{answer: func(_ int, req *http.Request) (*http.Response, error) {
			cancel()
			return nil, req.Context().Err()
		}}
		if answer, err := write(ctx, s.table()); err != nil || answer != model.Uncertain {
			t.Errorf("%s, cancelled midway: answer %v, %v; want uncertain", method, answer, err)
		}
		if answer, err := write(ctx, s.table()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled beforehand: answer %v, %v; want the context's error", method, answer, err)
		}
		s.sent(t)
	}
}

func TestWrites_OneConditionThatFailedIsRefused(t *testing.T) {
	for method, write := range writes {
		if method == "Append" || method == "Quarantine" { // told by reasons; never refused
			continue
		}
		answer, err := write(t.Context(), says(400, exception("ConditionalCheckFailedException")).table())
		if err != nil || answer != model.Refused {
			t.Errorf("%s: answer %v, %v; want refused", method, answer, err)
		}
	}
}

func TestReads_KeepTheSDKsRetries(t *testing.T) {
	s := &server{answer: func(n int, _ *http.Request) (*http.Response, error) {
		if n == 0 {
			return response(500, exception("InternalServerError")), nil
		}
		return response(200, `{}`), nil
	}}
	page, err := s.table().Events(t.Context(), model.Range{Series: series, From: noon, To: noon + 1, Consistent: true})
	if err != nil || len(page.Events) != 0 || len(s.requests) != 2 {
		t.Fatalf("page %v, %v after %d requests; want an empty page after 2", page, err, len(s.requests))
	}
	if s.requests[1]["ConsistentRead"] != true {
		t.Error("a consistent read was asked for, the request says otherwise")
	}
}

func TestReads_FailWithWhatToDo(t *testing.T) {
	table := says(400, exception("ResourceNotFoundException")).table()
	var errs [5]error
	_, errs[0] = table.Current(t.Context(), series, false)
	_, errs[1] = table.Events(t.Context(), model.Range{Series: series, To: noon})
	_, errs[2] = table.Row(t.Context(), rollup.Key{Series: series, Tier: "hour"})
	_, errs[3] = table.GetItem(t.Context(), eventKey())
	_, _, errs[4] = table.Scan(t.Context(), eventKey())
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "name and region") {
			t.Errorf("read %d: error %v, want what to do", i, err)
		}
	}
}
