package export

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// History of a device that an export did not know goes into a further file, and the complete file stays.
func TestArchive_FindsTheHistoryOfANewDevice(t *testing.T) {
	a := newArchived(t)
	a.run("ndjson", nil)
	a.put("new", "", testNow-240*hour, "7")
	list(t, a.table, device("new", "", 0), testNow-240*hour, testNow-240*hour)
	second := a.run("ndjson", nil)
	const complete, further = "events/kind=READING/day=2026-04-10/part.ndjson",
		"events/kind=READING/day=2026-04-10/part-1.ndjson"
	if text := a.read(further); strings.Count(text, "\n") != 1 || !strings.Contains(text, `"deviceId":"new"`) {
		t.Errorf("the further file has %s", text)
	}
	if text := a.read(complete); strings.Count(text, "\n") != 2 {
		t.Errorf("the complete file has %s", text)
	}
	if second.Rows() != 5 || second.NotReadAgain != 1 {
		t.Errorf("%d rows, %d files not read again, want 5 and 1", second.Rows(), second.NotReadAgain)
	}
	if third := a.run("ndjson", nil); third.Rows() != 5 || third.NotReadAgain != 2 {
		t.Errorf("a third export has %d rows, %d files not read again, want 5 and 2", third.Rows(),
			third.NotReadAgain)
	}
	if problems, checked, err := CheckAll(t.Context(), a.dir); len(problems) > 0 || checked != 4 || err != nil {
		t.Errorf("checked %d files, %v, %v", checked, problems, err)
	}
}

// One damaged event fails that event: the others are exported, and the manifest names it.
func TestArchive_ADamagedEventFailsThatEvent(t *testing.T) {
	a := newArchived(t)
	e := model.Event{Series: device("a", "", 0), Order: model.Order{At: testNow - 240*hour, ID: "i"}}
	damaged := item.FromEvent(&e)
	delete(damaged, tablekeys.AttrHash)
	if err := a.table.PutItem(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	m := a.run("ndjson", nil)
	if m.Rows() != 3 || m.Unreadable() != 1 {
		t.Errorf("%d rows, %d unreadable, want 3 and 1", m.Rows(), m.Unreadable())
	}
	if part := m.Files[0]; !strings.HasSuffix(part.NotInFile, "2026-04-10T14:30:00.000Z i") {
		t.Errorf("not in the file: %q", part.NotInFile)
	}
}
