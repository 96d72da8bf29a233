package tablekeys_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func shareKey(id, stream, member string) rollup.Key {
	s := model.Series{Subject: model.Subject{Type: "BY_SITE", ID: id}, Kind: "READING_BY_SITE",
		Stream: stream}
	start := model.Time(1776693600000)
	return rollup.Key{Series: s, Tier: "hour", Start: start,
		Member: tablekeys.Member(model.Subject{Type: "DEVICE", ID: member})}
}

func FuzzShare_ParseIsTheInverse(f *testing.F) {
	f.Add("berlin", "", "d1")
	f.Add("a/b#%", "in door", strings.Repeat("ü", 400))
	f.Fuzz(func(t *testing.T, id, stream, member string) {
		k := shareKey(id, stream, member)
		stored := tablekeys.Row(k)
		if got, err := tablekeys.ParseShare(stored); err != nil || got != k {
			t.Errorf("%+v: got %+v, %v", k, got, err)
		}
		if _, err := keys.ParseRow(stored); err == nil {
			t.Errorf("%v is taken for a row", stored)
		}
		if err := stored.Check(); len(id) < 256 && len(stream) < 256 && err != nil &&
			!strings.Contains(err.Error(), "UTF-8") {
			t.Error(err)
		}
	})
}

func TestParseMember_IsTheInverseOfMember(t *testing.T) {
	t.Parallel()
	for id, whole := range map[string]bool{
		"d1": true, "a#b%": true, strings.Repeat("d", 293): true, strings.Repeat("d", 294): false,
	} {
		s := model.Subject{Type: "DEVICE", ID: id}
		got, is := tablekeys.ParseMember(tablekeys.Member(s))
		begins := len(id) > 200 && got.Type == s.Type && strings.HasPrefix(got.ID, id[:200])
		if is != whole || whole && got != s || !whole && !begins {
			t.Errorf("%.20q of %d bytes: got %v, %v", id, len(id), got, is)
		}
	}
}

func TestGroupRows_AreOfTheGroupsThatARowNames(t *testing.T) {
	t.Parallel()
	want := shareKey("berlin", "", "d1")
	want.Member = ""
	row := want
	row.Series.Subject, row.Series.Kind = model.Subject{Type: "DEVICE", ID: "d1"}, "READING"
	names := []string{rollup.AllGroups, storage.GroupName("READING_BY_SITE", "berlin"), "damaged%"}
	if got := tablekeys.GroupRows(row, names); len(got) != 1 || got[0] != want {
		t.Errorf("%v, want %v alone", got, want)
	}
}

func TestParseShare_RejectsOtherKeys(t *testing.T) {
	t.Parallel()
	good := tablekeys.Row(shareKey("berlin", "", "d1"))
	for _, k := range []keys.Key{
		{PK: good.PK, SK: "SHARE#"}, {PK: good.PK, SK: "AGG#hour"}, {PK: "SHARE#BY_SITE#berlin", SK: good.SK},
		{PK: strings.Replace(good.PK, "#hour#", "#eon#", 1), SK: good.SK}, {PK: good.SK, SK: good.PK},
	} {
		if got, err := tablekeys.ParseShare(k); err == nil {
			t.Errorf("%v is %v", k, got)
		}
	}
}
