package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestRebuild_MendsWhatAHandDidToRows(t *testing.T) {
	for name, c := range map[string]struct {
		hand  func(*bench)
		says  string
		quick int // how verify --quick ends
	}{
		"another digest": {func(b *bench) {
			it := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
			it[keys.AttrDigest].B[0]++
			b.put(it)
		}, "hour 2026-11-02T10:00:00.000Z: differs", 1},
		"numbers of another row under the right digest": {func(b *bench) {
			it := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
			it[keys.AttrSummary] = b.rowItem("a", tier.Hour, "2026-11-02T11:00:00Z")[keys.AttrSummary]
			b.put(it)
		}, "somebody wrote it by hand", 0},
		"a row deleted": {func(b *bench) {
			if err := b.table.DeleteItem(b.Context(), b.rowKey("a", tier.Day, "2026-11-02T10:00:00Z")); err != nil {
				b.Fatal(err)
			}
		}, "day 2026-11-02T00:00:00.000Z: missing", 1},
		"a row of no events": {func(b *bench) {
			it := b.rowItem("a", tier.Hour, "2026-11-02T10:00:00Z")
			key := b.rowKey("a", tier.Hour, "2026-11-03T10:00:00Z")
			it[keys.AttrSK] = item.Value{Type: item.S, S: key.SK}
			b.put(it)
		}, "hour 2026-11-03T10:00:00.000Z: extra", 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.settle(b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T10:30:00Z 2", "2026-11-02T11:00:00Z 3"))
			b.expect(0, words("verify"), equalText)
			b.expect(0, words("verify --quick"), "0 series to recount", equalText)
			c.hand(b)
			b.expect(1, words("verify"), c.says)
			b.expect(c.quick, words("verify --quick"))
			b.expect(1, words("rebuild devices/a --dry-run"), "nothing was written")
			b.expect(1, words("verify"), c.says)
			b.expect(0, words("rebuild devices/a"))
			b.expect(0, words("verify"), equalText)
			b.expect(0, words("rebuild --all"), "0 changed")
		})
	}
}

func TestRebuild_RewritesARowThatCannotBeDecodedWhenAsked(t *testing.T) {
	b := newBench(t)
	today := wallClock().String()
	b.settle(b.append("a", today+" 1"))
	it := b.rowItem("a", tier.Hour, today)
	it[keys.AttrSummary] = item.Value{Type: item.B, B: []byte("no summary")}
	b.put(it)
	b.expect(1, words("verify"), "the stored row cannot be decoded")
	b.expect(0, words("rebuild --all"), "1 sealed")
	b.expect(0, words("rebuild --all --rewrite-unreadable"), "3 changed")
	b.expect(0, words("verify"), equalText)
}

// No coarser row tells of a damaged one of the coarsest tier.
func TestAudit_SeesARowThatCannotBeDecodedInEachTier(t *testing.T) {
	for _, u := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		b := newBench(t)
		today := wallClock().String()
		b.settle(b.append("a", today+" 1"))
		it := b.rowItem("a", u, today)
		it[keys.AttrSummary] = item.Value{Type: item.B, B: []byte("no summary")}
		b.put(it)
		b.expect(1, words("verify --quick"), u.String()+" ", "the stored row cannot be decoded")
		b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02 --rewrite-unreadable"))
		b.expect(0, words("verify"), equalText)
	}
}

// A row that a newer version wrote is not damaged: it is left to that version.
func TestAudit_LeavesARowOfANewerVersionAlone(t *testing.T) {
	b := newBench(t)
	today := wallClock().String()
	b.settle(b.append("a", today+" 1"))
	it := b.rowItem("a", tier.Month, today)
	it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
	b.put(it)
	b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02 --rewrite-unreadable"), "0 buckets to look at again")
}

// A batch that nobody was told of: verify names its events, one device is mended.
func TestRebuild_MendsADroppedBatchOfOneSubject(t *testing.T) {
	b := newBench(t)
	b.settle(b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-02T10:10:00Z 2", "2026-11-02T10:20:00Z 3"))
	b.append("a", "2026-11-02T10:30:00Z 4", "2026-11-02T10:40:00Z 5")
	b.append("b", "2026-11-02T10:30:00Z 6")
	b.expect(1, words("verify devices/a"), "not in the row: 2026-11-02T10:30:00.000Z, 2026-11-02T10:40:00.000Z")
	b.expect(1, words("verify --quick"), "2 series to recount", "DEVICE/b READING hour 2026-11-02T10:00:00.000Z: missing", "its events: 2026-11-02T10:30:00.000Z")
	out := b.expect(1, words("verify --tier day"), "day 2026-11-02T00:00:00.000Z")
	if strings.Contains(out, "hour") {
		t.Errorf("verify --tier day said\n%s", out)
	}
	b.expect(0, words("rebuild devices/a --from 2026-11-02 --to 2026-11-03"), "3 changed")
	b.expect(0, words("verify devices/a"), equalText)
	b.expect(1, words("verify"), "DEVICE/b")
	b.expect(0, words("rebuild --all"))
	b.expect(0, words("verify"), equalText)
}

func TestRebuild_GoesOnWhereItsFileSays(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1")
	b.append("b", "2026-11-02T10:00:00Z 1", "2026-11-03T10:00:00Z 2")
	b.append("c", "2026-11-02T10:00:00Z 1")
	file := filepath.Join(t.TempDir(), "at.json")
	what := checkpointOf(b.table.Name(), nil, rebuildFlags{all: true})
	at, err := openCheckpoint(file, what)
	if err != nil {
		t.Fatal(err)
	}
	series := func(device string) model.Series { return b.kinds.Kinds[0].Series(device, "", model.Order{}) }
	if err := at.reach(series("b"), eventAt("2026-11-03T00:00:00Z", 0).At, false); err != nil {
		t.Fatal(err)
	}
	b.expect(2, words("rebuild devices/b --resume "+file), "it is of another rebuild")
	b.expect(0, words("rebuild --all --resume "+file), "of 2 series")
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the file of a rebuild that is done: %v, want it gone", err)
	}
	b.expect(1, words("verify"), "recounted 4 events of 3 series", "DEVICE/a", "DEVICE/b READING hour 2026-11-02T10:00:00.000Z: missing")
	if out := b.expect(0, words("verify devices/c"), equalText); strings.Contains(out, "missing:") {
		t.Error(out)
	}
	b.expect(0, words("rebuild --all --rate 500"))
	b.expect(0, words("verify"), equalText)
}

// A dry run that was stopped has rebuilt nothing: what it reached is no place to go on
// from for one that writes, and so with one that leaves damaged rows alone.
func TestRebuild_GoesOnOnlyWithWhatItDidBefore(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1")
	series := b.kinds.Kinds[0].Series("a", "", model.Order{})
	for line, began := range map[string]rebuildFlags{
		"rebuild --all":                      {all: true, dryRun: true},
		"rebuild --all --dry-run":            {all: true},
		"rebuild --all --rewrite-unreadable": {all: true, rate: 9},
	} {
		file := filepath.Join(t.TempDir(), "at.json")
		at, err := openCheckpoint(file, checkpointOf(b.table.Name(), nil, began))
		if err != nil {
			t.Fatal(err)
		}
		if err := at.reach(series, model.MaxTime, true); err != nil {
			t.Fatal(err)
		}
		b.expect(2, words(line+" --resume "+file), "it is of another rebuild")
	}
}

func TestRebuild_BesideLiveTrafficIsHarmless(t *testing.T) {
	b := newBench(t)
	var group sync.WaitGroup
	group.Go(func() {
		for i := range 5 {
			hour := []string{"08", "09", "10"}[i%3]
			b.settle(b.append("a", "2026-11-02T"+hour+":0"+string(rune('0'+i))+":00Z 1"))
		}
	})
	for range 5 {
		b.expect(0, words("rebuild --all"))
	}
	group.Wait()
	b.expect(0, words("verify"), equalText)
}

func TestRebuild_WhatIsAskedWronglyIsTold(t *testing.T) {
	b := newBench(t)
	for line, says := range map[string]string{
		"rebuild":                                         "want one of: a subject",
		"rebuild devices/a --all":                         "want one of: a subject",
		"rebuild --all --mark some":                       "want sealed or every",
		"rebuild --all --tier week":                       "want minute, hour, day or month",
		"rebuild --all --from x":                          "--from",
		"rebuild --all --from 2026-11-03 --to 2026-11-02": "the range holds no time",
		"rebuild --gap yesterday":                         "want FROM..TO",
		"rebuild devices/a --tier minute":                 "no kind here has that tier",
		"verify devices/a --tier minute":                  "no kind here has that tier",
		"rebuild --gap recorded --tier day":               "leave --from",
		"rebuild nothing/a":                               "want a subject as devices/ID",
		"rebuild --all --rate -1":                         "--rate",
	} {
		if out := b.expect(2, words(line), says); strings.Contains(out, "no gap is recorded") {
			t.Errorf("%s said beside it\n%s", line, out)
		}
	}
}

// Where nothing is there to judge, nothing is said to be right.
func TestVerify_OfNothingSaysThatNothingWasRecounted(t *testing.T) {
	b := newBench(t)
	b.settle(b.append("a", "2026-11-02T10:00:00Z 1"))
	for _, line := range []string{"verify devices/b", "verify --quick devices/b", "verify --tier minute"} {
		if out := b.expect(0, words(line), "nothing was recounted"); strings.Contains(out, equalText) {
			t.Errorf("%s said\n%s", line, out)
		}
	}
	b.expect(0, words("verify devices/a --tier hour"), equalText)
}

// What came while nobody was told, beyond what a table stream remembers.
func TestGap_IsNamedMendedAndForgotten(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("gap"), "nothing has been settled yet")
	b.settle(b.append("a", "2026-11-02T10:00:00Z 1"))
	b.append("a", "2026-11-02T10:30:00Z 2", "2026-10-01T00:00:00Z 3")
	now := wallClock()
	b.put(item.FromWatermark(now))
	b.expect(0, words("gap"), "settled up to "+now.String())
	gap := model.Gap{From: now.Add(-3e12), To: now}
	b.put(item.FromGap(gap))
	b.expect(1, words("gap"), "gap: "+gap.From.String()+".."+gap.To.String())
	b.expect(1, words("rebuild --gap recorded --dry-run"), "2 buckets to look at again", "nothing was written")
	b.expect(1, words("gap"))
	b.expect(0, words("rebuild --gap recorded"), "what arrived")
	b.expect(0, words("verify"), equalText)
	b.expect(0, words("gap"))
	b.expect(0, words("rebuild --gap recorded"), "no gap is recorded")
}

// Adopting a restored table forgets the watermark; the gaps that it brought stand.
func TestGap_IsNamedWhereNoWatermarkStands(t *testing.T) {
	b := newBench(t)
	gap := model.Gap{From: wallClock().Add(-3e12), To: wallClock()}
	b.put(item.FromGap(gap))
	out := b.expect(1, words("gap"), "gap: "+gap.From.String()+".."+gap.To.String(), "rebuild --gap recorded")
	if strings.Contains(out, "settled up to") || strings.Contains(out, "nothing has been settled") {
		t.Errorf("gap said\n%s", out)
	}
	b.expect(0, words("rebuild --gap recorded"))
	b.expect(0, words("gap"), "nothing has been settled yet")
}

func TestGap_StandingStillForADayIsOne(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1")
	b.put(item.FromWatermark(wallClock().Add(-30 * 3600e9)))
	b.expect(1, words("gap"), "is the mapping enabled?")
	b.expect(0, words("rebuild --gap recorded"))
	b.expect(0, words("verify"), equalText)
}

func TestGap_LooksOnlyAtWhatIsDirtyOrCameInIt(t *testing.T) {
	b := newBench(t)
	b.settle(b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-03T10:00:00Z 2"))
	b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02"), "0 buckets to look at again")
	b.append("a", "2026-11-03T10:30:00Z 3")
	b.expect(0, words("rebuild --gap 2020-01-01..2020-01-02"), "1 buckets to look at again", "3 changed")
	b.expect(0, words("verify"), equalText)
}
