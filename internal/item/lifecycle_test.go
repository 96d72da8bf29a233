package item_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func profile() model.Profile {
	return model.Profile{
		Subject: series().Subject, Attrs: attrs(), Version: 2, Life: model.Life{1, 2, 3},
		CreatedAt: at("2026-01-01T00:00:00Z"), UpdatedAt: at("2026-04-20T14:00:00Z"),
		Sentinels: []string{keys.Unique("DEVICE", "serial", "tA#1").PK},
	}
}

func tombstone() model.Profile {
	p := profile()
	p.Version, p.DeletedAt, p.ExpiresAt = 3, at("2026-04-21T14:00:00Z"), 1779372000
	return p
}

// lifecycleForms are the stored forms of what a subject's life leaves.
func lifecycleForms() map[string]form {
	p, byHand, t := profile(), model.Profile{Subject: series().Subject, Attrs: attrs()}, tombstone()
	v := model.ProfileVersion{Profile: tombstone(), Change: model.ProfileDeleted}
	s := model.Sentinel{Partition: p.Sentinels[0], Owner: p.Subject, Life: p.Life}
	gate := model.Gate{Subject: p.Subject, Since: at("2026-04-20T14:00:00Z"), ExpiresAt: 1776866400, PurgeID: "01HV"}
	lifting := gate
	lifting.Receipt = `{"purge":"01HV"}`
	asked := model.Purge{ID: "01HV", Subject: p.Subject, By: "ops", Step: model.PurgeAsked, Rev: [16]byte{9},
		Asked: at("2026-04-20T14:00:00Z"), Due: at("2026-05-20T14:00:00Z"), Since: at("2026-04-20T14:00:00Z")}
	erased := asked
	erased.Step, erased.Gated = model.PurgeErased, at("2026-05-20T14:00:00Z")
	erased.Counts = []model.PurgeCount{{Class: "events", Items: 10_000, Bytes: 2_000_000}}
	return map[string]form{
		"profile": {p, func() (item.Item, error) {
			it := item.FromProfile(&p)
			it.SetIndex(keys.IndexGSI1, keys.ByField(p.Subject, "status", "active", 0))
			return it, nil
		}, func(it item.Item) (any, error) { return item.Profile(it) }},
		"profile-by-hand": {byHand, func() (item.Item, error) { return item.FromProfile(&byHand), nil }, func(it item.Item) (any, error) { return item.Profile(it) }},
		"tombstone":       {t, func() (item.Item, error) { return item.FromTombstone(&t), nil }, func(it item.Item) (any, error) { return item.Tombstone(it) }},
		"version":         {v, func() (item.Item, error) { return item.FromProfileVersion(&v), nil }, func(it item.Item) (any, error) { return item.ProfileVersion(it) }},
		"sentinel":        {s, func() (item.Item, error) { return item.FromSentinel(&s), nil }, func(it item.Item) (any, error) { return item.Sentinel(it) }},
		"gate":            {gate, func() (item.Item, error) { return item.FromGate(&gate), nil }, func(it item.Item) (any, error) { return item.Gate(it) }},
		"gate-lifting":    {lifting, func() (item.Item, error) { return item.FromGate(&lifting), nil }, func(it item.Item) (any, error) { return item.Gate(it) }},
		"purge-asked":     {asked, func() (item.Item, error) { return item.FromPurge(&asked), nil }, func(it item.Item) (any, error) { return item.Purge(it) }},
		"purge-erased":    {erased, func() (item.Item, error) { return item.FromPurge(&erased), nil }, func(it item.Item) (any, error) { return item.Purge(it) }},
	}
}

func TestLifecycle_DecodersRefuseWhatTheyCannotRead(t *testing.T) {
	number := func(s string) item.Value { return item.Value{Type: item.N, S: s} }
	for name, f := range lifecycleForms() {
		for what, c := range map[string]struct {
			change func(item.Item)
			want   error
		}{
			"an item of another class": {func(it item.Item) { it[keys.AttrSK] = item.Value{Type: item.S, S: "CURRENT#READING#"} }, keys.ErrForeign},
			"a newer version":          {func(it item.Item) { it[keys.AttrVersion] = number("99") }, item.ErrNewer},
			"a damaged version":        {func(it item.Item) { it[keys.AttrVersion] = number("0") }, item.ErrDamaged},
		} {
			it, err := f.encode()
			if err != nil {
				t.Fatal(err)
			}
			c.change(it)
			if got, err := f.decode(it); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: read as %+v, %v; want %v", name, what, got, err, c.want)
			}
		}
	}
}

func TestTombstone_StandsInNoIndexButTheListOfTombstones(t *testing.T) {
	d := tombstone()
	it := item.FromTombstone(&d)
	if got, want := it.IndexKey(keys.IndexGSI1), keys.ByDeletion(d.Subject, d.DeletedAt); got != want {
		t.Errorf("stands in the first index under %v, want %v", got, want)
	}
	if got := it.IndexKey(keys.IndexGSI2); got != (keys.Key{}) {
		t.Errorf("stands in the second index under %v", got)
	}
}

func TestProfile_KeepsNoFieldThatBearsANameOfOurs(t *testing.T) {
	p := profile()
	p.Attrs = model.Attrs{{Name: "_life", Value: model.TextValue("x")}, {Name: "deletedAt", Value: model.TextValue("x")}, {Name: "pk", Value: model.TextValue("x")}}
	back, err := item.Profile(item.FromProfile(&p))
	if err != nil || len(back.Attrs) != 0 || back.DeletedAt != 0 || back.Life != p.Life {
		t.Errorf("came back as %+v, %v", back, err)
	}
}
