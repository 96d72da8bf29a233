package keys_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

func anySubject() *rapid.Generator[model.Subject] {
	return rapid.Custom(func(t *rapid.T) model.Subject {
		return model.Subject{Type: hostile(1).Draw(t, "type"), ID: hostile(1).Draw(t, "id")}
	})
}

func TestLifecycleKeys_ComeBackAndNoOtherSpellingIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySubject().Draw(t, "subject")
		n := rapid.Int64Range(1, keys.MaxVersion).Draw(t, "version")
		if got, err := keys.ParseTombstone(keys.Tombstone(s)); err != nil || got != s {
			t.Fatalf("tombstone of %q came back as %q, %v", s, got, err)
		}
		if got, v, err := keys.ParseVersion(keys.Version(s, n)); err != nil || got != s || v != n {
			t.Fatalf("version %d of %q came back as %d of %q, %v", n, s, v, got, err)
		}
		if got, err := keys.ParsePurge(keys.Purge(s)); err != nil || got != s {
			t.Fatalf("purge of %q came back as %q, %v", s, got, err)
		}
		if got, err := keys.ParseGate(keys.Gate(s)); err != nil || got != s {
			t.Fatalf("gate of %q came back as %q, %v", s, got, err)
		}
	})
	for _, k := range []keys.Key{
		{PK: "DEVICE#a", SK: "VERSION#1"}, {PK: "DEVICE#a", SK: "VERSION#0000000000"}, {PK: "DEVICE#a", SK: "VERSION#00000000011"},
		{PK: "DEVICE#a", SK: "VERSION#+000000001"}, {PK: "DEVICE#a#1", SK: "VERSION#0000000001"}, {PK: "DEVICE#a", SK: "METADATA"},
	} {
		if s, n, err := keys.ParseVersion(k); !errors.Is(err, keys.ErrForeign) {
			t.Errorf("%v was read as version %d of %s, %v", k, n, s, err)
		}
	}
}

func TestVersion_TenMillionSortAsNumbers(t *testing.T) {
	s := model.Subject{Type: "DEVICE", ID: "a"}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(1, 10_000_001).Draw(t, "a"), rapid.Int64Range(1, keys.MaxVersion).Draw(t, "b")
		if got, want := strings.Compare(keys.Version(s, a).SK, keys.Version(s, b).SK), cmp.Compare(a, b); got != want {
			t.Fatalf("versions %d and %d sort as %d, want %d", a, b, got, want)
		}
	})
}

func TestUnique_OtherValuesHaveOtherKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(hostile(0), 3, 4)
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		one, other := keys.Unique(a[0], a[1], a[2:]...), keys.Unique(b[0], b[1], b[2:]...)
		if (one == other) != slices.Equal(a, b) {
			t.Fatalf("%q and %q have the keys %v and %v", a, b, one, other)
		}
		if !keys.IsUnique(one.PK) {
			t.Fatalf("%q is said to be no sentinel's partition", one.PK)
		}
	})
}

func TestSubjectPartitions_AreItsOwnAndItsShards(t *testing.T) {
	got := keys.SubjectPartitions(model.Subject{Type: "DEVICE", ID: "a"}, 3)
	if want := []string{"DEVICE#a", "DEVICE#a#1", "DEVICE#a#2", "DEVICE#a#3"}; !slices.Equal(got, want) {
		t.Errorf("partitions %q, want %q", got, want)
	}
}

func TestPurgeFilter_LetsExpiriesOfTombstonesPassAndNothingElse(t *testing.T) {
	filter, err := streamtest.ParseFilter(keys.PurgeFilter)
	if err != nil {
		t.Fatal(err)
	}
	const ttl = `,"userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"}`
	record := func(name, sk, identity string) []byte {
		return []byte(`{"eventName":"` + name + `","dynamodb":{"Keys":{"pk":{"S":"DEVICE#a"},"sk":{"S":"` + sk + `"}}}` + identity + `}`)
	}
	for _, c := range []struct {
		what string
		body []byte
		want bool
	}{
		{"a tombstone that expired", record("REMOVE", "DELETED#METADATA", ttl), true},
		{"a tombstone that somebody removed", record("REMOVE", "DELETED#METADATA", ""), false},
		{"a tombstone that is written", record("INSERT", "DELETED#METADATA", ""), false},
		{"an event that expired", record("REMOVE", "EVENT#READING##2026-04-20T14:00:00.000Z#", ttl), false},
		{"a version that expired", record("REMOVE", "VERSION#0000000001", ttl), false},
		{"a profile that expired", record("REMOVE", "METADATA", ttl), false},
	} {
		if got := filter.Match(c.body); got != c.want {
			t.Errorf("%s passes: %v, want %v", c.what, got, c.want)
		}
	}
}
