package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// timeAt parses an event time.
func timeAt(text string) model.Time {
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return at
}

func TestRebuild_RepairsEditedRows(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bench)
		output string
		quick  int // exit status of verify --quick
	}{
		"another digest": {func(b *bench) {
			it := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
			it[tablekeys.AttrDigest].B[0]++
			b.put(it)
		}, "hour 2026-11-02T10:00:00.000Z: differs", 1},
		"numbers of another row under the right digest": {func(b *bench) {
			it := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
			it[tablekeys.AttrSummary] = b.rowItem("a", tier.Hour, "2026-11-02T11:00:00Z")[tablekeys.AttrSummary]
			b.put(it)
		}, "it was edited, or written by another version", 0},
		"a deleted row": {func(b *bench) {
			if err := b.table.DeleteItem(b.Context(), b.rowKey("a", tier.Day, "2026-11-02T10:00:00Z")); err != nil {
				b.Fatal(err)
			}
		}, "day 2026-11-02T00:00:00.000Z: missing", 1},
		"a row without events": {func(b *bench) {
			it := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
			key := b.rowKey("a", tier.Hour, "2026-11-03T10:00:00Z")
			it[keys.AttrSK] = item.Value{Type: item.S, S: key.SK}
			b.put(it)
		}, "hour 2026-11-03T10:00:00.000Z: extra", 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.process(b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T10:30:00Z 2", "2026-11-02T11:00:00Z 3"))
			b.expect(0, words("verify"), equalText)
			b.expect(0, words("verify --quick"), "0 series to recount", equalText)
			c.change(b)
			b.expect(1, words("verify"), c.output)
			b.expect(c.quick, words("verify --quick"))
			b.expect(1, words("rebuild devices/a --dry-run"), "nothing was written")
			b.expect(1, words("verify"), c.output)
			b.expect(0, words("rebuild devices/a"))
			b.expect(0, words("verify"), equalText)
			b.expect(0, words("rebuild --all"), "0 changed")
		})
	}
}

func TestRebuild_RewriteUnreadableRewritesARowThatCannotBeDecoded(t *testing.T) {
	b := newBench(t)
	today := wallClock().String()
	b.process(b.append("a", today+" 1"))
	it := b.rowItem("a", tier.Hour, today)
	it[tablekeys.AttrSummary] = item.Value{Type: item.B, B: []byte("no summary")}
	b.put(it)
	b.expect(1, words("verify"), "the stored row cannot be decoded")
	b.expect(0, words("rebuild --all"), "1 sealed")
	b.expect(0, words("rebuild --all --rewrite-unreadable"), "3 changed")
	b.expect(0, words("verify"), equalText)
}

// The coarsest tier has no parent whose digest would differ.
func TestAudit_FindsARowThatCannotBeDecodedInEachTier(t *testing.T) {
	for _, u := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		b := newBench(t)
		today := wallClock().String()
		b.process(b.append("a", today+" 1"))
		it := b.rowItem("a", u, today)
		it[tablekeys.AttrSummary] = item.Value{Type: item.B, B: []byte("no summary")}
		b.put(it)
		b.expect(1, words("verify --quick"), u.String()+" ", "the stored row cannot be decoded")
		b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02 --rewrite-unreadable"))
		b.expect(0, words("verify"), equalText)
	}
}

// A row that a newer version wrote is not damaged: only that version can repair it.
func TestAudit_LeavesARowOfANewerVersionAlone(t *testing.T) {
	b := newBench(t)
	today := wallClock().String()
	b.process(b.append("a", today+" 1"))
	it := b.rowItem("a", tier.Month, today)
	it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	b.put(it)
	b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02 --rewrite-unreadable"), "0 buckets to recompute")
}

// After a lost batch, verify names its events and rebuild repairs one device.
func TestRebuild_RepairsALostBatchOfOneSubject(t *testing.T) {
	b := newBench(t)
	b.process(b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T10:10:00Z 2", "2026-11-02T10:20:00Z 3"))
	b.append("a", "2026-11-02T10:30:00Z 4", "2026-11-02T10:40:00Z 5")
	b.append("b", "2026-11-02T10:30:00Z 6")
	b.expect(1, words("verify devices/a"), "not in the row: 2026-11-02T10:30:00.000Z, 2026-11-02T10:40:00.000Z")
	b.expect(1, words("verify --quick"), "2 series to recount",
		"DEVICE/b READING hour 2026-11-02T10:00:00.000Z: missing", "its events: 2026-11-02T10:30:00.000Z")
	out := b.expect(1, words("verify --tier day"), "day 2026-11-02T00:00:00.000Z")
	if strings.Contains(out, "hour") {
		t.Errorf("verify --tier day printed\n%s", out)
	}
	b.expect(0, words("rebuild devices/a --from 2026-11-02 --to 2026-11-03"), "3 changed")
	b.expect(0, words("verify devices/a"), equalText)
	b.expect(1, words("verify"), "DEVICE/b")
	b.expect(0, words("rebuild --all"))
	b.expect(0, words("verify"), equalText)
}

func saveCheckpoint(t *testing.T, path string, c repair.Checkpoint) {
	t.Helper()
	text, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRebuild_ResumesFromItsCheckpoint(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1")
	b.append("b", "2026-11-02T10:00:00Z 1", "2026-11-03T10:00:00Z 2")
	b.append("c", "2026-11-02T10:00:00Z 1")
	file := filepath.Join(t.TempDir(), "at.json")
	series := b.kinds.Kinds[0].Series("b", "", model.Order{})
	saveCheckpoint(t, file, repair.Checkpoint{
		Job: (&rebuildFlags{all: true}).job(b.table.Name(), nil), Series: series, Next: timeAt("2026-11-03T00:00:00Z"),
	})
	b.expect(2, words("rebuild devices/b --resume "+file), "belongs to another rebuild")
	b.expect(0, words("rebuild --all --resume "+file), "of 2 series")
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file of a finished rebuild: %v, want none", err)
	}
	b.expect(1, words("verify"), "recounted 4 events of 3 series", "DEVICE/a",
		"DEVICE/b READING hour 2026-11-02T10:00:00.000Z: missing")
	if out := b.expect(0, words("verify devices/c"), equalText); strings.Contains(out, "missing:") {
		t.Error(out)
	}
	b.expect(0, words("rebuild --all --rate 500"))
	b.expect(0, words("verify"), equalText)
}

// A dry run wrote nothing, so a rebuild that writes must not resume from its checkpoint.
// The same holds for a rebuild that left damaged rows alone.
func TestRebuild_ResumesOnlyTheSameRebuild(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1")
	series := b.kinds.Kinds[0].Series("a", "", model.Order{})
	for line, began := range map[string]rebuildFlags{
		"rebuild --all":                      {all: true, dryRun: true},
		"rebuild --all --dry-run":            {all: true},
		"rebuild --all --rewrite-unreadable": {all: true, rate: 9},
	} {
		file := filepath.Join(t.TempDir(), "at.json")
		saveCheckpoint(t, file,
			repair.Checkpoint{Job: began.job(b.table.Name(), nil), Series: series, Next: model.MaxTime, Done: true})
		b.expect(2, words(line+" --resume "+file), "belongs to another rebuild")
	}
}

func TestRebuild_IsSafeDuringLiveTraffic(t *testing.T) {
	b := newBench(t)
	var group sync.WaitGroup
	group.Go(func() {
		for i := range 5 {
			hour := []string{"08", "09", "10"}[i%3]
			b.process(b.append("a", "2026-11-02T"+hour+":0"+string(rune('0'+i))+":00Z 1"))
		}
	})
	for range 5 {
		b.expect(0, words("rebuild --all"))
	}
	group.Wait()
	b.expect(0, words("verify"), equalText)
}

func TestRebuild_RejectsInvalidUsage(t *testing.T) {
	b := newBench(t)
	for line, message := range map[string]string{
		"rebuild":                                         "pass one of: a subject",
		"rebuild devices/a --all":                         "pass one of: a subject",
		"rebuild --all --mark some":                       "want sealed or every",
		"rebuild --all --tier decade":                     "want minute, hour, day, week, week-sunday, month or quarter",
		"rebuild --all --from x":                          "--from",
		"rebuild --all --from 2026-11-03 --to 2026-11-02": "the range is empty",
		"rebuild --gap yesterday":                         "want FROM..TO",
		"rebuild devices/a --tier minute":                 "no kind here has the tier minute",
		"verify devices/a --tier minute":                  "no kind here has the tier minute",
		"rebuild --gap recorded --tier day":               "omit --from",
		"rebuild nothing/a":                               "want devices/ID",
		"rebuild --all --rate -1":                         "--rate",
	} {
		if out := b.expect(2, words(line), message); strings.Contains(out, "no gap is recorded") {
			t.Errorf("%s also printed\n%s", line, out)
		}
	}
}

// Without any bucket, verify does not say that every rollup is right.
func TestVerify_WithoutBucketsSaysThatNothingWasRecounted(t *testing.T) {
	b := newBench(t)
	b.process(b.append("a", "2026-11-02T10:00:00Z 1"))
	for _, line := range []string{"verify devices/b", "verify --quick devices/b", "verify --tier minute"} {
		if out := b.expect(0, words(line), "nothing was recounted"); strings.Contains(out, equalText) {
			t.Errorf("%s printed\n%s", line, out)
		}
	}
	b.expect(0, words("verify devices/a --tier hour"), equalText)
}

// Changes that were not processed for longer than a table stream keeps them.
func TestGap_IsListedRepairedAndRemoved(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("status"), "nothing was processed yet")
	b.process(b.append("a", "2026-11-02T10:00:00Z 1"))
	b.append("a", "2026-11-02T10:30:00Z 2", "2026-10-01T00:00:00Z 3")
	now := wallClock()
	b.put(item.FromStreamProgress(now))
	b.expect(0, words("status"), "processed through "+now.String())
	gap := storage.Gap{From: now.Add(-3e12), To: now}
	b.put(item.FromGap(gap))
	b.expect(1, words("status"), "gap: changes from "+gap.From.String()+" to "+gap.To.String())
	b.expect(1, words("rebuild --gap recorded --dry-run"), "2 buckets to recompute", "nothing was written")
	b.expect(1, words("status"))
	b.expect(0, words("rebuild --gap recorded"), "events that arrived")
	b.expect(0, words("verify"), equalText)
	b.expect(0, words("status"))
	b.expect(0, words("rebuild --gap recorded"), "no gap is recorded")
}

// tidemark restore deletes the stream progress but keeps the recorded gaps.
func TestGap_IsListedWithoutStreamProgress(t *testing.T) {
	b := newBench(t)
	gap := storage.Gap{From: wallClock().Add(-3e12), To: wallClock()}
	b.put(item.FromGap(gap))
	b.expect(1, words("status"), "gap: changes from "+gap.From.String()+" to "+gap.To.String(),
		"rebuild --gap recorded")
	b.expect(0, words("rebuild --gap recorded"))
	b.expect(0, words("status"), "nothing was processed yet")
}

func TestGap_NoProgressForADayIsAGap(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1")
	b.put(item.FromStreamProgress(wallClock().Add(-30 * 3600e9)))
	b.expect(1, words("status"), "nothing since: changes may be lost")
	b.expect(0, words("rebuild --gap recorded"))
	b.expect(0, words("verify"), equalText)
}

func TestGap_RecomputesOnlySuspectsAndArrivalsOfTheRange(t *testing.T) {
	b := newBench(t)
	b.process(b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-03T10:00:00Z 2"))
	b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02"), "0 buckets to recompute")
	b.append("a", "2026-11-03T10:30:00Z 3")
	b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02"), "1 buckets to recompute", "3 changed")
	b.expect(0, words("verify"), equalText)
}
