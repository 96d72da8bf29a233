package userprogram

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var alice, bob = model.Subject{Type: "USER", ID: "alice"}, model.Subject{Type: "USER", ID: "bob"}

// profiles returns a service of users with an email that is unique and a status to list by.
// The index names only its field.
func profiles(s store, release catalog.Release) *lifecycle.Service {
	spec := catalog.Profile{
		Indexes:  []catalog.ProfileIndex{{Field: "status"}},
		Unique:   []catalog.Unique{{Name: "email", Fields: []string{"email"}}},
		Release:  release,
		Versions: catalog.Versions{Keep: true},
	}
	return &lifecycle.Service{Store: s, Profile: func(string) catalog.Profile { return spec }}
}

func fields(email string) model.Attrs {
	return model.Attrs{{Name: "email", Value: model.TextValue(email)},
		{Name: "status", Value: model.TextValue("active")}}
}

func must(t *testing.T, want lifecycle.Outcome) func(lifecycle.Result, error) lifecycle.Result {
	return func(out lifecycle.Result, err error) lifecycle.Result {
		t.Helper()
		if err != nil || out.Outcome != want {
			t.Fatalf("%q, %v; want %s", out.Outcome, err, want)
		}
		return out
	}
}

func listed(t *testing.T, users *lifecycle.Service) int {
	t.Helper()
	page, err := users.ListByField(context.Background(), "USER", "status", "active", lifecycle.Cursor{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Profiles)
}

func TestLifecycle_DeleteLeavesIndexesAndRestoreReturnsToThem(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseFree)
		must(t, lifecycle.Created)(users.Create(ctx, alice, fields("a@x")))
		if listed(t, users) != 1 {
			t.Error("the profile is not in its index")
		}
		must(t, lifecycle.Deleted)(users.Delete(ctx, alice, 0))
		if p, err := users.Get(ctx, alice); p != nil || err != nil || listed(t, users) != 0 {
			t.Errorf("a deleted profile is visible: %+v, %v", p, err)
		}
		if p, err := users.Deleted(ctx, alice); err != nil || p == nil || p.DeletedAt == 0 {
			t.Errorf("tombstone %+v, %v", p, err)
		}
		out := must(t, lifecycle.Restored)(users.Restore(ctx, alice, 0))
		if listed(t, users) != 1 || out.Profile.Version != 3 {
			t.Errorf("restored version %d, in the index %d", out.Profile.Version, listed(t, users))
		}
		page, _, err := users.Versions(ctx, alice, 0, 10)
		if err != nil || len(page) != 3 || page[0].Change != model.ProfileRestored ||
			page[2].Change != model.ProfileCreated {
			t.Errorf("versions %+v, %v; want restored, deleted, created", page, err)
		}
	})
}

func TestLifecycle_UniqueValuesAreFreedOrReserved(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseFree)
		must(t, lifecycle.Created)(users.Create(ctx, alice, fields("a@x")))
		if out := must(t, lifecycle.Taken)(users.Create(ctx, bob, fields("a@x"))); out.Constraint != "email" {
			t.Errorf("constraint %q", out.Constraint)
		}
		must(t, lifecycle.Deleted)(users.Delete(ctx, alice, 0))
		must(t, lifecycle.Created)(users.Create(ctx, bob, fields("a@x")))
		must(t, lifecycle.Taken)(users.Restore(ctx, alice, 0))
	})
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseReserve)
		must(t, lifecycle.Created)(users.Create(ctx, alice, fields("a@x")))
		must(t, lifecycle.Deleted)(users.Delete(ctx, alice, 0))
		must(t, lifecycle.Taken)(users.Create(ctx, bob, fields("a@x")))
		must(t, lifecycle.Restored)(users.Restore(ctx, alice, 0))
	})
}

func TestLifecycle_OptimisticLockAndRejectedFields(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseFree)
		must(t, lifecycle.Created)(users.Create(ctx, alice, fields("a@x")))
		must(t, lifecycle.Updated)(users.Update(ctx, alice, fields("b@x"), 1))
		must(t, lifecycle.Conflict)(users.Update(ctx, alice, fields("c@x"), 1))
		var wrong model.FieldErrors
		_, err := users.Update(ctx, alice, model.Attrs{{Name: "deletedAt", Value: model.TextValue("x")}}, 0)
		if !errors.Is(err, model.ErrRejected) || !errors.As(err, &wrong) || wrong[0].Field != "deletedAt" {
			t.Errorf("a reserved name: %v", err)
		}
	})
}

// Maps, lists and sets of another program survive deletion and restoration.
func TestLifecycle_RestoreKeepsMapsListsAndSets(t *testing.T) {
	table := localTable(t)
	ctx, users := context.Background(), profiles(table, catalog.ReleaseFree)
	must(t, lifecycle.Created)(users.Create(ctx, alice, fields("a@x")))
	client, err := dynamo.NewClient(ctx, "eu-west-1", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	key := keys.Metadata(alice)
	name, update := table.Name(), "SET prefs = :m, tags = :s, steps = :l"
	one := &types.AttributeValueMemberN{Value: "1"}
	primary := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key.PK},
		"sk": &types.AttributeValueMemberS{Value: key.SK}}
	_, err = client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &name, Key: primary,
		UpdateExpression: &update, ExpressionAttributeValues: map[string]types.AttributeValue{
			":m": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"size": one}},
			":s": &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
			":l": &types.AttributeValueMemberL{Value: []types.AttributeValue{one}},
		}})
	if err != nil {
		t.Fatal(err)
	}
	before, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &name, Key: primary})
	if err != nil {
		t.Fatal(err)
	}
	must(t, lifecycle.Deleted)(users.Delete(ctx, alice, 0))
	must(t, lifecycle.Restored)(users.Restore(ctx, alice, 0))
	after, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &name, Key: primary})
	for _, attr := range []string{"prefs", "tags", "steps"} {
		if err != nil || !reflect.DeepEqual(before.Item[attr], after.Item[attr]) {
			t.Errorf("%s: %v, %v; want %v", attr, after.Item[attr], err, before.Item[attr])
		}
	}
}

// A purge with nothing but a store removes everything of one subject and nothing of another.
func TestLifecycle_PurgeRemovesOneSubject(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, users := context.Background(), profiles(s, catalog.ReleaseFree)
		device := model.Subject{Type: "DEVICE", ID: sensor.Subject}
		must(t, lifecycle.Created)(users.Create(ctx, device, fields("a@x")))
		must(t, lifecycle.Created)(users.Create(ctx, alice, fields("b@x")))
		spread := iot.Readings
		spread.Shards = 4
		readings := open(t, s, spread)
		for m := range 8 {
			appended(t, readings, at(m), model.Applied)
		}
		purger := &lifecycle.Purger{Store: s,
			Timing: lifecycle.Timing{Append: time.Millisecond, Aggregate: time.Millisecond}}
		if _, err := purger.Request(ctx, device, "test", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := purger.Run(ctx, device); err != nil {
			t.Fatal(err)
		}
		n, err := readings.Count(ctx, sensor)
		if err != nil || n.Events != 0 {
			t.Errorf("%d events are left, %v", n.Events, err)
		}
		if p, err := users.Get(ctx, alice); p == nil || err != nil {
			t.Errorf("another subject: %+v, %v", p, err)
		}
		must(t, lifecycle.Gone)(users.Create(ctx, device, fields("a@x")))
	})
}
