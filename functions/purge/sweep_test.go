package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/local/engine/enginetest"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// sweepWithin is how long an expiry and its sweep may take on a busy machine. The engine looks for expired
// items every second.
const sweepWithin = 2 * time.Minute

// members have versions, and an email that is reserved until the tombstone has expired.
var members = catalog.Profile{
	Unique:     []catalog.Unique{{Name: "email", Fields: []string{"email"}}},
	Release:    catalog.ReleaseReserve,
	Versions:   catalog.Versions{Keep: true},
	DeletedFor: 24 * time.Hour,
}

// The TTL of the table removes a tombstone, and the function, invoked by the table stream,
// removes the versions and the reserved email of that subject and of no other.
func TestExpiry_TheSweepOfATombstoneRemovesItsVersionsAndUniqueValues(t *testing.T) {
	t.Parallel()
	endpoint := enginetest.Start(t, func() model.Time { return model.NewTime(time.Now()) }).Endpoint
	on := streamedTable(t, endpoint)
	expiring, kept := membersOn(on, members),
		membersOn(on, catalog.Profile{Unique: members.Unique, Release: members.Release, Versions: members.Versions})
	gone := member("gone")
	restorable := member("restorable")
	active := member("active")
	change(t, lifecycle.Created)(expiring.Create(t.Context(), gone, email("gone@x")))
	change(t, lifecycle.Updated)(
		expiring.Update(t.Context(), gone, model.Attrs{{Name: "team", Value: model.TextValue("red")}}, 0))
	change(t, lifecycle.Deleted)(expiring.Delete(t.Context(), gone, 0))
	change(t, lifecycle.Created)(kept.Create(t.Context(), restorable, email("restorable@x")))
	change(t, lifecycle.Deleted)(kept.Delete(t.Context(), restorable, 0))
	change(t, lifecycle.Created)(kept.Create(t.Context(), active, email("active@x")))

	before := listItems(t, on, gone)
	if len(before) != 4 || sentinel(t, on, "gone@x") == nil {
		t.Fatalf("before the sweep: %v; want a tombstone, three versions and the email", before)
	}
	expire(t, endpoint, on)
	sweepBy(t, endpoint, on)
	if left := listItems(t, on, gone); len(left) != 0 || sentinel(t, on, "gone@x") != nil {
		t.Errorf("after the sweep: %v, email %v; want nothing", left, sentinel(t, on, "gone@x"))
	}
	for _, s := range []model.Subject{restorable, active} {
		if left := listItems(t, on, s); len(left) == 0 || sentinel(t, on, s.ID+"@x") == nil {
			t.Errorf("%s: %v, email %v; want all of them", s, left, sentinel(t, on, s.ID+"@x"))
		}
	}
	now := membersOn(on, members)
	now.Now = nil
	change(t, lifecycle.Created)(now.Create(t.Context(), member("next"), email("gone@x")))
	change(t, lifecycle.Taken)(now.Create(t.Context(), member("other"), email("restorable@x")))
}

// sweepBy invokes the function by the table stream until it has cleaned up after an expiry.
func sweepBy(t *testing.T, endpoint string, on *dynamo.Table) {
	t.Helper()
	arn, err := on.StreamARN(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(config.Default(domains.Kinds()...), on)
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	h.profiles = membersOn(on, members)
	h.profiles.Now = nil
	h.log = slog.New(slog.DiscardHandler)
	h.units = func() (float64, float64) { return 0, 0 }
	h.metrics, h.function = &telemetry.Emitter{Out: out, Now: h.now}, "purge-test"
	filter, err := eventsource.ParseFilter(tablekeys.PurgeFilter)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), sweepWithin)
	defer stop()
	mapping := &eventsource.Mapping{
		Source: stack.NewTableStream(endpoint, arn), Stream: arn, Now: h.now, Sleep: retry.Sleep,
		Settings: eventsource.Settings{BatchSize: 10, MaxRetries: -1, ReportFailures: true, Filter: filter},
		Invoke: func(ctx context.Context, payload []byte) ([]byte, error) {
			response, err := h.Invoke(ctx, payload)
			if strings.Contains(out.String(), `"GenerationsEnded":1`) {
				stop()
			}
			return response, err
		},
	}
	if err := mapping.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("no tombstone was swept within %s: %v", sweepWithin, err)
	}
}

// streamedTable returns an empty table with a stream. TTL is disabled until expire enables it.
func streamedTable(t *testing.T, endpoint string) *dynamo.Table {
	t.Helper()
	client, err := dynamo.NewClient(t.Context(), stack.Region, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	standard, name := dynamo.Standard(), "sweep-"+rand.Text()
	_, err = client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: &standard.Partition, AttributeType: types.ScalarAttributeTypeS}, {AttributeName: &standard.Sort, AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: &standard.Partition, KeyType: types.KeyTypeHash}, {AttributeName: &standard.Sort, KeyType: types.KeyTypeRange},
		},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: new(true), StreamViewType: types.StreamViewType(standard.Stream)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return dynamo.New(client, name)
}

// expire enables TTL, which removes the expired items of a table.
func expire(t *testing.T, endpoint string, on *dynamo.Table) {
	t.Helper()
	client, err := dynamo.NewClient(t.Context(), stack.Region, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	name, attribute := on.Name(), dynamo.Standard().TTL
	_, err = client.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName: &name, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: new(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// membersOn returns a service whose clock is two days behind, so that tombstones have expired.
func membersOn(on *dynamo.Table, spec catalog.Profile) *lifecycle.Service {
	return &lifecycle.Service{
		Store: on, Profile: func(string) catalog.Profile { return spec },
		Now: func() model.Time { return model.NewTime(time.Now().Add(-48 * time.Hour)) },
	}
}

func member(id string) model.Subject { return model.Subject{Type: "MEMBER", ID: id} }

func email(address string) model.Attrs {
	return model.Attrs{{Name: "email", Value: model.TextValue(address)}}
}

// change fails the test unless a change has the outcome.
func change(t *testing.T, want lifecycle.Outcome) func(lifecycle.Result, error) {
	return func(got lifecycle.Result, err error) {
		t.Helper()
		if err != nil || got.Outcome != want {
			t.Fatalf("%q, %v; want %s", got.Outcome, err, want)
		}
	}
}

// listItems returns the sort keys of all items of a subject.
func listItems(t *testing.T, on *dynamo.Table, s model.Subject) (all []string) {
	t.Helper()
	for it, err := range itemop.Items(t.Context(), on, itemop.ListRequest{Partition: keys.SubjectPartition(s)}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, it.Key().SK)
	}
	return all
}

// sentinel returns the item that reserves an email; nil if it is free.
func sentinel(t *testing.T, on *dynamo.Table, address string) any {
	t.Helper()
	it, err := on.GetItem(t.Context(), tablekeys.Unique("MEMBER", "email", "t"+address))
	if err != nil {
		t.Fatal(err)
	}
	if it == nil {
		return nil
	}
	return it
}
