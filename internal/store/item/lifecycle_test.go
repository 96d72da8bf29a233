package item_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func profile() model.Profile {
	return model.Profile{
		Subject: series().Subject, Attrs: attrs(), Version: 2, Generation: model.Generation{1, 2, 3},
		CreatedAt: at("2026-01-01T00:00:00Z"), UpdatedAt: at("2026-04-20T14:00:00Z"),
		Sentinels: []string{tablekeys.Unique("DEVICE", "serial", "tA#1").PK},
	}
}

func tombstone() model.Profile {
	p := profile()
	p.Version = 3
	p.DeletedAt = at("2026-04-21T14:00:00Z")
	p.ExpiresAt = 1779372000
	return p
}

// lifecycleForms returns the stored forms of profiles, tombstones, sentinels and purges.
func lifecycleForms() map[string]form {
	p := profile()
	otherWriter := model.Profile{Subject: series().Subject, Attrs: attrs()}
	t := tombstone()
	v := model.ProfileVersion{Profile: tombstone(), Change: model.ProfileDeleted}
	s := storage.Sentinel{Partition: p.Sentinels[0], Owner: p.Subject, Generation: p.Generation}
	lock := storage.PurgeLock{Subject: p.Subject, Since: at("2026-04-20T14:00:00Z"), ExpiresAt: 1776866400,
		PurgeID: "01HV"}
	lockWithReceipt := lock
	lockWithReceipt.Receipt = `{"purge":"01HV"}`
	requested := storage.Purge{ID: "01HV", Subject: p.Subject, By: "ops", Step: storage.PurgeRequested,
		Rev:         [16]byte{9},
		RequestedAt: at("2026-04-20T14:00:00Z"), DueAt: at("2026-05-20T14:00:00Z"), StepSince: at("2026-04-20T14:00:00Z")}
	erased := requested
	erased.Step, erased.LockedAt = storage.PurgeErased, at("2026-05-20T14:00:00Z")
	erased.Counts = []storage.PurgeCount{{Class: "events", Items: 10_000, Bytes: 2_000_000}}
	groups := storage.Memberships{Subject: p.Subject, Log: []storage.Membership{
		{From: at("2026-04-20T14:00:00Z"), Fields: map[string]string{"accountId": "acme", "type": "sensor"}},
		{From: at("2026-04-21T14:00:00Z"), Fields: map[string]string{}},
	}, ExpiresAt: 1776866400}
	return map[string]form{
		"groups-of-a-profile": {
			entity: groups,
			encode: func() (item.Item, error) { return item.FromMemberships(&groups), nil },
			decode: func(it item.Item) (any, error) { return item.Memberships(it) },
		},
		"profile": {entity: p, encode: func() (item.Item, error) {
			it := item.FromProfile(&p)
			it.SetIndex(keys.IndexGSI1, tablekeys.FieldEntry(p.Subject, "status", "active", 0))
			return it, nil
		}, decode: func(it item.Item) (any, error) { return item.Profile(it) }},
		"profile-other-writer": {
			entity: otherWriter,
			encode: func() (item.Item, error) { return item.FromProfile(&otherWriter), nil },
			decode: func(it item.Item) (any, error) { return item.Profile(it) },
		},
		"tombstone": {
			entity: t, encode: func() (item.Item, error) { return item.FromTombstone(&t), nil },
			decode: func(it item.Item) (any, error) { return item.Tombstone(it) },
		},
		"version": {
			entity: v, encode: func() (item.Item, error) { return item.FromProfileVersion(&v), nil },
			decode: func(it item.Item) (any, error) { return item.ProfileVersion(it) },
		},
		"sentinel": {
			entity: s, encode: func() (item.Item, error) { return item.FromSentinel(&s), nil },
			decode: func(it item.Item) (any, error) { return item.Sentinel(it) },
		},
		"purge-lock": {
			entity: lock, encode: func() (item.Item, error) { return item.FromPurgeLock(&lock), nil },
			decode: func(it item.Item) (any, error) { return item.PurgeLock(it) },
		},
		"purge-lock-receipt": {
			entity: lockWithReceipt,
			encode: func() (item.Item, error) { return item.FromPurgeLock(&lockWithReceipt), nil },
			decode: func(it item.Item) (any, error) { return item.PurgeLock(it) },
		},
		"purge-requested": {
			entity: requested, encode: func() (item.Item, error) { return item.FromPurge(&requested), nil },
			decode: func(it item.Item) (any, error) { return item.Purge(it) },
		},
		"purge-erased": {
			entity: erased, encode: func() (item.Item, error) { return item.FromPurge(&erased), nil },
			decode: func(it item.Item) (any, error) { return item.Purge(it) },
		},
	}
}

func TestLifecycle_DecodersRejectInvalidItems(t *testing.T) {
	number := func(s string) item.Value { return item.Value{Type: item.N, S: s} }
	for name, f := range lifecycleForms() {
		for what, c := range map[string]struct {
			change func(item.Item)
			want   error
		}{
			"an item of another class": {func(it item.Item) { it[keys.AttrSK] = item.Value{Type: item.S, S: "CURRENT#READING#"} }, keys.ErrKeyForm},
			"a newer version":          {func(it item.Item) { it[keys.AttrVersion] = number("99") }, item.ErrNewer},
			"a damaged version":        {func(it item.Item) { it[keys.AttrVersion] = number("0") }, item.ErrDamaged},
		} {
			it, err := f.encode()
			if err != nil {
				t.Fatal(err)
			}
			c.change(it)
			if got, err := f.decode(it); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: decoded as %+v, %v; want %v", name, what, got, err, c.want)
			}
		}
	}
}

func TestTombstone_IsOnlyInTheIndexOfTombstones(t *testing.T) {
	d := tombstone()
	it := item.FromTombstone(&d)
	if got, want := it.IndexKey(keys.IndexGSI1), tablekeys.DeletedEntry(d.Subject, d.DeletedAt); got != want {
		t.Errorf("index key %v, want %v", got, want)
	}
	if got := it.IndexKey(keys.IndexGSI2); got != (keys.Key{}) {
		t.Errorf("key in the second index %v, want none", got)
	}
}

func TestProfile_SkipsFieldsWithReservedNames(t *testing.T) {
	p := profile()
	p.Attrs = model.Attrs{{Name: "_life", Value: model.TextValue("x")},
		{Name: "deletedAt", Value: model.TextValue("x")}, {Name: "pk", Value: model.TextValue("x")}}
	back, err := item.Profile(item.FromProfile(&p))
	if err != nil || len(back.Attrs) != 0 || back.DeletedAt != 0 || back.Generation != p.Generation {
		t.Errorf("decoded as %+v, %v", back, err)
	}
}
