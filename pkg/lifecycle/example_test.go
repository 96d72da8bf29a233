package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func exampleClock() model.Time { return noon }

// users have an email that no two of them share, and are listed by status.
func users(string) catalog.Profile {
	return catalog.Profile{
		Unique:   []catalog.Unique{{Name: "email", Fields: []string{"email"}}},
		Indexes:  []catalog.ProfileIndex{{Field: "status"}},
		Versions: catalog.Versions{Keep: true},
	}
}

// Create, change, delete and restore a profile. Outcomes say what the table decided.
func ExampleService() {
	ctx := context.Background()
	profiles := &lifecycle.Service{Store: memory.New(exampleClock), Profile: users, Now: exampleClock}
	out, err := profiles.Create(ctx, alice, fields("email", "a@example.com", "status", "active"))
	fmt.Println(out.Outcome, out.Profile.Version, err)
	out, err = profiles.Create(ctx, bob, fields("email", "a@example.com"))
	fmt.Println(out.Outcome, out.Constraint, err)
	out, err = profiles.Update(ctx, alice, fields("status", "away"), 7) // the version it is expected to have
	fmt.Println(out.Outcome, out.Profile.Version, err)
	out, err = profiles.Delete(ctx, alice, 0)
	fmt.Println(out.Outcome, err)
	out, err = profiles.Restore(ctx, alice, 0)
	fmt.Println(out.Outcome, out.Profile.Version, err)
	// Output:
	// created 1 <nil>
	// taken email <nil>
	// conflict 1 <nil>
	// deleted <nil>
	// restored 3 <nil>
}

// A rejected profile is an error that names the fields.
func ExampleService_Create_rejected() {
	profiles := &lifecycle.Service{Store: memory.New(exampleClock), Profile: users}
	_, err := profiles.Create(context.Background(), alice, fields("deletedAt", "now"))
	var wrong model.FieldErrors
	fmt.Println(errors.Is(err, model.ErrRejected), errors.As(err, &wrong), wrong[0].Field, wrong[0].Code)
	// Output:
	// true true deletedAt name-reserved
}

// List the profiles with a value of an indexed field, page by page.
func ExampleService_ListByField() {
	ctx := context.Background()
	profiles := &lifecycle.Service{Store: memory.New(exampleClock), Profile: users}
	for _, s := range []model.Subject{alice, bob} {
		if _, err := profiles.Create(ctx, s, fields("status", "active")); err != nil {
			fmt.Println(err)
		}
	}
	next := lifecycle.Cursor{}
	for {
		page, err := profiles.ListByField(ctx, alice.Type, "status", "active", next, 1)
		for _, p := range page.Profiles {
			fmt.Println(p.Subject, err)
		}
		if next = page.Next; next == (lifecycle.Cursor{}) || err != nil {
			break
		}
	}
	// Output:
	// EMPLOYEE/alice <nil>
	// EMPLOYEE/bob <nil>
}

// Purge everything of a subject. The waits let requests end that began before the purge.
func ExamplePurger() {
	ctx := context.Background()
	table := memory.New(exampleClock)
	if _, err := (&lifecycle.Service{Store: table}).Create(ctx, alice, fields("status", "active")); err != nil {
		fmt.Println(err)
	}
	now := noon
	purger := &lifecycle.Purger{
		Store: table, Now: func() model.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil }, // only in a test
	}
	if _, err := purger.Request(ctx, alice, "privacy@example.com", 0); err != nil {
		fmt.Println(err)
	}
	receipt, err := purger.Run(ctx, alice)
	fmt.Println(receipt.Purge != "", err)
	// Output:
	// true <nil>
}
