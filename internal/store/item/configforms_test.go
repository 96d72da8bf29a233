package item_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// configForms returns the stored forms of configurations and credentials, and of what a fold or an
// attempt adds to an item.
func configForms() map[string]form {
	key := storage.APIKey{ID: "01HV", Name: "gateway 7", Subjects: "hall-", Kinds: []string{"READING"},
		CreatedAt: at("2026-04-20T14:00:00Z"), CreatedBy: "ops",
		Secrets: []storage.APISecret{{Hash: []byte{1, 2}}, {Hash: []byte{3}, Until: at("2026-05-01T00:00:00Z")}}}
	config := storage.KindConfig{Kind: "READING", Rev: [16]byte{7}, AppliedAt: at("2026-04-20T14:00:00Z"),
		SubjectType: "DEVICE", Shards: 2,
		Raw: tier.Forever, LeastRaw: 30 * 24 * time.Hour, Tiers: []storage.TierConfig{{Unit: "hour", Retention: 90 * 24 * time.Hour, Least: 90 * 24 * time.Hour}, {Unit: "day", Retention: tier.Forever, Least: tier.Forever}}}
	attempted := event()
	attempted.Attempt = 0x0102030405060708
	folded := item.DerivedLatest{Latest: latest(), Rev: rollup.Rev{5}, ExpiresAt: 1779285601, ExpiryKnown: true}
	none := item.DerivedLatest{Latest: model.Latest{Series: latest().Series}, Rev: rollup.Rev{6}}
	return map[string]form{
		"write-key": {
			entity: key, encode: func() (item.Item, error) { return item.FromAPIKey(&key), nil },
			decode: func(it item.Item) (any, error) { return item.APIKey(it) },
		},
		"kind-config": {
			entity: config, encode: func() (item.Item, error) { return item.FromKindConfig(&config), nil },
			decode: func(it item.Item) (any, error) { return item.KindConfig(it) },
		},
		"event-attempt": {
			entity: attempted.Attempt,
			encode: func() (item.Item, error) { return item.FromEvent(&attempted), nil },
			decode: func(it item.Item) (any, error) { return item.Attempt(it), nil },
		},
		"latest-derived": derivedForm(folded), "latest-derived-none": derivedForm(none),
	}
}

func derivedForm(l item.DerivedLatest) form {
	return form{entity: l, encode: func() (item.Item, error) {
		it := item.FromDerivedLatest(&l)
		if it.Key() != (keys.Key{}) {
			return nil, errors.New("a fold names the key")
		}
		k := keys.Latest(l.Series)
		it[keys.AttrPK], it[keys.AttrSK] = item.Value{Type: item.S, S: k.PK}, item.Value{Type: item.S, S: k.SK}
		return it, nil
	}, decode: func(it item.Item) (any, error) { return item.ReadDerivedLatest(it) }}
}

// A fold sets the creation time only of an item that it creates.
func TestDerivedLatest_NamesTheCreationTimeOnce(t *testing.T) {
	l := item.DerivedLatest{Latest: latest()}
	if _, named := item.FromDerivedLatest(&l)[keys.AttrCreatedAt]; !named {
		t.Error("a new item has no creation time")
	}
	l.CreatedAt = 0
	if v, named := item.FromDerivedLatest(&l)[keys.AttrCreatedAt]; named {
		t.Errorf("the creation time is overwritten with %v", v)
	}
	if got, err := item.ReadDerivedLatest(nil); err != nil || !cmp.Equal(got, item.DerivedLatest{}) {
		t.Errorf("no item is read as %+v, %v", got, err)
	}
}

func TestKindConfig_DoesNotChangeItsArgument(t *testing.T) {
	c := storage.KindConfig{Kind: "READING", Tiers: []storage.TierConfig{{Unit: "day", Retention: tier.Forever}}}
	item.FromKindConfig(&c)
	if c.Tiers[0].Retention != tier.Forever {
		t.Errorf("the retention has become %s", c.Tiers[0].Retention)
	}
}

func TestHeartbeat_HasItsTime(t *testing.T) {
	when := at("2026-04-20T14:00:00Z")
	if it := item.FromHeartbeat(when); it.Key() != tablekeys.Heartbeat() ||
		it[tablekeys.AttrAt].S != when.String() {
		t.Errorf("stored as %v", it)
	}
}

func TestOwnRules_HasTheKeyOfItsTypeAndKind(t *testing.T) {
	if got, want := item.OwnRules("DEVICE", "READING").Key(),
		tablekeys.SubjectRulesMarker("DEVICE", "READING"); got != want {
		t.Errorf("the key is %v, want %v", got, want)
	}
}

// A row that cannot be decoded is one unreadable child, with its expiry; a newer one is an error and
// changes nothing.
func TestFoldRow_CountsWhatItCannotRead(t *testing.T) {
	whole := row()
	damaged := row()
	newer := row()
	empty := row()
	damaged.Summary = nil
	newer.V = item.Version + 1
	newer.Summary = nil
	empty.Summary, empty.Empty = nil, true
	forever := damaged
	forever.ExpiresAt = 0
	for name, c := range map[string]struct {
		row        rollup.Row
		children   int
		unreadable int64
		exact      bool
		expires    int64
		err        error
	}{
		"whole":                   {whole, 1, 0, true, whole.ExpiresAt, nil},
		"damaged":                 {damaged, 1, 1, false, damaged.ExpiresAt, nil},
		"damaged, without expiry": {forever, 1, 1, false, rollup.NoExpiry, nil},
		"empty":                   {empty, 0, 0, true, rollup.NoExpiry, nil},
		"of a newer version":      {newer, 0, 0, true, rollup.NoExpiry, item.ErrNewer},
	} {
		f := rollup.NewFold(spec())
		if err := item.FoldRow(f, &c.row); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if f.Children != c.children || f.Unreadable != c.unreadable || f.Exact != c.exact ||
			f.ChildrenExpireAt != c.expires {
			t.Errorf("%s: %d children, %d unreadable, exact %v, expire at %d; want %+v", name, f.Children,
				f.Unreadable, f.Exact, f.ChildrenExpireAt, c)
		}
		if is := name[:4] == "dama" || c.err != nil; item.DamagedRow(&c.row) != is {
			t.Errorf("%s: damaged %v, want %v", name, !is, is)
		}
	}
	f := rollup.NewFold(spec())
	early := damaged
	early.ExpiresAt--
	for _, r := range []rollup.Row{damaged, early, damaged} {
		if err := item.FoldRow(f, &r); err != nil {
			t.Fatal(err)
		}
	}
	if f.Children != 3 || f.Unreadable != 3 || f.ChildrenExpireAt != early.ExpiresAt {
		t.Errorf("%d children, %d unreadable, expire at %d", f.Children, f.Unreadable, f.ChildrenExpireAt)
	}
}
