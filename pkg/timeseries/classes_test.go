package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// refusing returns a table whose requests are all refused with a code of DynamoDB, or end without a response.
func refusing(t *testing.T, code string) *dynamo.Table {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if code == "" {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintf(w, `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"no"}`, code)
	}))
	t.Cleanup(server.Close)
	return dynamo.New(dynamodb.New(dynamodb.Options{
		Region: "eu-west-1", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	}), "table")
}

func first[T any](all iter.Seq2[T, error]) error {
	for _, err := range all {
		return err
	}
	return nil
}

func failure[T any](_ T, err error) error { return err }

// classes are the exclusive classes of errors.
var classes = []error{timeseries.ErrRejected, timeseries.ErrUndecided, timeseries.ErrPermanent}

// calls are the calls of a program that send a request.
func calls(t *testing.T, table *dynamo.Table) map[string]func(context.Context) error {
	t.Helper()
	opts := timeseries.Options{Attempts: 1,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	events := openOn(t, table, iot.Readings, opts)
	all, err := timeseries.OpenProfiles[Account](table, account, &opts)
	if err != nil {
		t.Fatal(err)
	}
	v, key := Reading{Device: "a", At: today}, timeseries.Key{Subject: "a"}
	return map[string]func(context.Context) error{
		"Append":  func(ctx context.Context) error { return failure(events.Append(ctx, v)) },
		"Delete":  func(ctx context.Context) error { return failure(events.Delete(ctx, v)) },
		"Correct": func(ctx context.Context) error { return failure(events.Correct(ctx, v)) },
		"Latest":  func(ctx context.Context) error { return failure(events.Latest(ctx, key)) },
		"Rollups": func(ctx context.Context) error { return failure(events.Rollups(ctx, key, tier.Hour)) },
		"History": func(ctx context.Context) error { return first(events.History(ctx, key)) },
		"Put, create": func(ctx context.Context) error {
			return failure(all.Put(ctx, Account{ID: "a", Email: "a@x"}, 0))
		},
		"Put, update": func(ctx context.Context) error {
			return failure(all.Put(ctx, Account{ID: "a", Email: "a@x"}, 1))
		},
		"Delete of a profile": func(ctx context.Context) error { return failure(all.Delete(ctx, "a", 0)) },
		"Restore":             func(ctx context.Context) error { return failure(all.Restore(ctx, "a", 0)) },
		"Remove":              func(ctx context.Context) error { return failure(all.Remove(ctx, "a", 0)) },
		"Purge":               func(ctx context.Context) error { return all.Purge(ctx, "a", "me", time.Hour) },
		"PurgeProgress":       func(ctx context.Context) error { return failure(all.PurgeProgress(ctx, "a")) },
		"Backfill": func(ctx context.Context) error {
			return all.Backfill(ctx, "", func(string, lifecycle.Result) error { return nil })
		},
		"Get":      func(ctx context.Context) error { return failure(all.Get(ctx, "a")) },
		"ListBy":   func(ctx context.Context) error { return first(all.ListBy(ctx, "status", "active")) },
		"Versions": func(ctx context.Context) error { return first(all.Versions(ctx, "a")) },
	}
}

// Retry repeats what is undecided, so that an error without a class would end a program at the first busy
// moment of the table, and one of the wrong class would let it repeat for ever.
func TestErrors_EachCallHasTheClassOfItsFailure(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]error{
		"ProvisionedThroughputExceededException": timeseries.ErrUndecided,
		"ThrottlingException":                    timeseries.ErrUndecided,
		"TransactionConflictException":           timeseries.ErrUndecided,
		"":                                       timeseries.ErrUndecided,
		"ResourceNotFoundException":              timeseries.ErrPermanent,
		"AccessDeniedException":                  timeseries.ErrPermanent,
		"ValidationException":                    timeseries.ErrPermanent,
		"ExpiredTokenException":                  timeseries.ErrPermanent,
	} {
		for name, call := range calls(t, refusing(t, code)) {
			err := call(context.Background())
			for _, class := range classes {
				if errors.Is(err, class) != (class == want) {
					t.Errorf("%q: %s: %v; want %v alone", code, name, err, want)
				}
			}
		}
	}
}

func TestErrors_ACanceledContextIsUndecided(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, call := range calls(t, refusing(t, "ThrottlingException")) {
		if err := call(ctx); !errors.Is(err, model.ErrUndecided) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v; want ErrUndecided and context.Canceled", name, err)
		}
	}
}
