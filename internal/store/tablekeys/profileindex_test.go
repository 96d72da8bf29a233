package tablekeys_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// pairs generates fields and what belongs to each. Only a field has a name that is never empty.
func pairs(least int) *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) (all []string) {
		for range rapid.IntRange(least, 3).Draw(t, "fields") {
			all = append(all, hostile(1).Draw(t, "field"), hostile(0).Draw(t, "text"))
		}
		return all
	})
}

func partitions() *rapid.Generator[tablekeys.ProfilePartition] {
	return rapid.Custom(func(t *rapid.T) tablekeys.ProfilePartition {
		return tablekeys.ProfilePartition{SubjectType: rapid.SampledFrom([]string{"A", "B#"}).Draw(t, "type"),
			By: pairs(1).Draw(t, "by"), Sort: pairs(0).Draw(t, "sort"), Shard: rapid.IntRange(0, 3).Draw(t, "shard")}
	})
}

func TestProfilePartition_DifferentPartitionsHaveDifferentKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := partitions().Draw(t, "a"), partitions().Draw(t, "b")
		switch rapid.IntRange(0, 3).Draw(t, "near") {
		case 0: // a part of one is a part of the other elsewhere
			b = a
			b.By, b.Sort = a.By[:2], slices.Concat(a.By[2:], a.Sort)
		case 1:
			b = a
			b.By, b.Sort = slices.Concat(a.By, a.Sort), nil
		case 2:
			b = a
			b.By = append(slices.Clone(a.By), "1", "2")
		}
		same := a.SubjectType == b.SubjectType && slices.Equal(a.By, b.By) && slices.Equal(a.Sort, b.Sort) &&
			a.Shard == b.Shard
		if (a.Key() == b.Key()) != same {
			t.Fatalf("%+v and %+v have the keys %q and %q", a, b, a.Key(), b.Key())
		}
	})
}

// Entries sort by their values and then by their ids. A bound is between lower values and all others.
func TestProfilePartition_EntriesAreInTheOrderOfTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p tablekeys.ProfilePartition
		values := rapid.SliceOfN(hostile(0), 2, 2)
		a, b := values.Draw(t, "a"), values.Draw(t, "b")
		x, y := hostile(1).Draw(t, "x"), hostile(1).Draw(t, "y")
		got := strings.Compare(p.Entry(x, a).SK, p.Entry(y, b).SK)
		if want := cmp.Or(slices.Compare(a, b), strings.Compare(x, y)); got != want {
			t.Fatalf("%q of %q and %q of %q compare as %d, want %d", a, x, b, y, got, want)
		}
		bound := tablekeys.ProfileBound(b[0])
		if sk := p.Entry(x, a).SK; sk == bound || (sk < bound) != (a[0] < b[0]) {
			t.Fatalf("%q is not on the side of the bound %q that %q and %q have", sk, bound, a[0], b[0])
		}
	})
}

// Stored keys never change.
func TestProfilePartition_KeysThatAreStored(t *testing.T) {
	s := model.Subject{Type: "DEVICE", ID: "sensor#1"}
	both := tablekeys.ProfilePartition{SubjectType: "DEVICE", By: []string{"accountId", "acme", "status",
		"active"},
		Sort: []string{"name", "text", "floor", "number"}}
	for _, c := range []struct{ got, want keys.Key }{
		{tablekeys.FieldEntry(s, "status", "a#b", 0), keys.Key{PK: "SUBJECT#DEVICE#status#a%23b",
			SK: "sensor%231"}},
		{tablekeys.FieldEntry(s, "status", "active", 3), keys.Key{PK: "SUBJECT#DEVICE#status#active#3",
			SK: "sensor%231"}},
		{both.Entry(s.ID, []string{"Hall 3", "25013"}), keys.Key{
			PK: "SUBJECT#DEVICE#accountId#acme#status#active##name#text#floor#number",
			SK: "Hall%203#25013#sensor%231"}},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}
