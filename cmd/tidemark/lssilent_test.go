package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestLs_ListsTheSubjectsThatAreSilent(t *testing.T) {
	b := newBench(t)
	b.process(b.append("old", "2026-11-02T10:00:00Z 1"))
	b.process(b.append("new", wallClock().Add(-time.Minute).String()+" 1"))
	b.put(item.FromListedSeries(storage.ListedSeries{
		Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "spare"}},
	}))
	b.expect(0, words("ls devices --silent 30m"), "nothing was processed yet")
	b.put(item.FromStreamProgress(wallClock()))
	out := b.expect(0, words("ls devices --silent 30m"), "devices/old", "2026-11-02T10:00:00.000Z",
		"never sent", "known through")
	if strings.Contains(out, "devices/new") {
		t.Errorf("devices/new is listed as silent:\n%s", out)
	}
	b.expect(0, words("ls devices --silent 30m --output json"),
		`"neverSent":true`, `"lastSeen":"2026-11-02T10:00:00.000Z"`)
	b.expect(0, words("ls devices --silent 9000d --limit 1 --output ndjson"), `"subject":"spare"`)
	b.expect(0, words("ls devices --silent 30m --output csv"), "subject,neverSent,lastSeen", "spare,true,,")
	b.expect(0, words("ls devices --silent 9000d --kind readings"), "never sent")
	b.expect(2, words("ls devices/old --silent 30m"), "tidemark ls TYPE --silent 30m")
	b.expect(2, words("ls devices --silent often"), "not a duration")
	b.expect(2, words("ls devices --silent 30m --kind views"), "no such kind")
}

// A group exists when its first bucket has closed: commands that find none do not ask for an event of it.
func TestGroups_CommandsSayWhatIsMissing(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "tidemark.yaml")
	if err := os.WriteFile(path, []byte("kinds: {READING: {groups: [site]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TIDEMARK_CONFIG", path)
	b.expect(0, words("ls by-site"), "when its first bucket has closed")
	b.expect(2, words("purge by-site/berlin --dry-run"), "purge its members")
	b.expect(2, words("latest by-site/berlin"), "read its rollups instead")
	b.process(b.append("old", "2026-11-02T10:00:00Z 1"))
	b.put(item.FromStreamProgress(wallClock()))
	b.expect(0, words("ls devices --silent 30m --by by-site"), "GROUP          MEMBERS  SILENT",
		"(in no group)  1        1")
	b.expect(0, words("ls devices --by by-site"), "GROUP          MEMBERS\n", "(in no group)  1\n")
	b.expect(0, words("ls devices --by by-site --output json"), `"membersWithoutGroup":1`)
	b.expect(0, words("ls devices --silent 30m --by readings-by-site --output csv"),
		"group,members,silent,groupKnown\n,1,1,true\n,0,0,false\n")
	b.expect(2, words("ls devices --silent 30m --by by-line"), "there are by-site")
	b.expect(2, words("ls sites --silent 30m --by by-site"), "no kind of sites has groups")
	b.expect(2, words("ls devices/old --by by-site"), "tidemark ls TYPE --silent 30m")
	b.expect(2, words("ls devices --by by-site --kind readings"), "--kind needs --silent")
}
