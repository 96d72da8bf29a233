package main

import (
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
