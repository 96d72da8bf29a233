package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// filledEvents returns events with ten readings of sensor_01, one each minute, of
// temperature 0 to 9.
func filledEvents(t *testing.T) *timeseries.Events[Reading] {
	t.Helper()
	events, err := timeseries.Open[Reading](newTable(), iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		r := Reading{Device: "sensor_01", At: today.Add(time.Duration(i-10) * time.Minute),
			Temperature: number(fmt.Sprint(i)), Location: "hall"}
		if out, err := events.Append(context.Background(), r); err != nil || out.Outcome != model.Applied {
			t.Fatalf("append: %s, %v", out.Outcome, err)
		}
	}
	return events
}

var sensor = timeseries.Key{Subject: "sensor_01"}

func TestHistory_ReturnsEventsThatMeetEveryTerm(t *testing.T) {
	t.Parallel()
	got := ""
	for r, err := range filledEvents(t).History(context.Background(), sensor, timeseries.Newest(),
		timeseries.Only("temperature"),
		timeseries.Where("temperature", model.AtLeast, 3),
		timeseries.Where("temperature", model.Less, *number("5.5")),
		timeseries.Where("location", model.Begins, "ha")) {
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprint(r.Temperature, " ", r.Location, ";")
	}
	if want := "5 ;4 ;3 ;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPage_ContinuesAfterItsNext(t *testing.T) {
	t.Parallel()
	events := filledEvents(t)
	got, next := "", ""
	for pages := 0; pages < 5; pages++ {
		page, err := events.Page(context.Background(), sensor, timeseries.Limit(4), timeseries.After(next))
		if err != nil || len(page.Entries) > 4 {
			t.Fatalf("page %d: %d entries, %v", pages, len(page.Entries), err)
		}
		for _, e := range page.Entries {
			got += fmt.Sprint(e.Value.Temperature)
		}
		if want := today.Add(-30*tier.Day24 + 5*time.Minute); !page.CompleteFrom.Equal(want) {
			t.Errorf("complete from %s, want %s", page.CompleteFrom, want)
		}
		if next = page.Next; next == "" {
			break
		}
	}
	if got != "0123456789" || next != "" {
		t.Errorf("all pages: %s, then %q", got, next)
	}
	other, err := filledEvents(t).Page(context.Background(), sensor, timeseries.Limit(4))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := events.Page(context.Background(), sensor, timeseries.Limit(4),
		timeseries.After(other.Next)); !errors.Is(err, timeseries.ErrCursor) {
		t.Errorf("a cursor signed with another random key: %v, want %v", err, timeseries.ErrCursor)
	}
	if _, err := events.Page(context.Background(), sensor, timeseries.After("forged")); !errors.Is(err,
		timeseries.ErrCursor) {
		t.Errorf("a forged cursor: %v, want %v", err, timeseries.ErrCursor)
	}
}

func TestCount_CountsMatchingEvents(t *testing.T) {
	t.Parallel()
	n, err := filledEvents(t).Count(context.Background(), sensor, timeseries.Where("temperature", model.Greater,
		6), timeseries.In(today.Add(-time.Hour), today.Add(-time.Minute)))
	if err != nil || n.Events != 2 || n.Unreadable != 0 {
		t.Errorf("got %+v, %v; want 2: the last is outside the range", n, err)
	}
}

// An option of another read does not compile: its type differs from the type of the read's options.
func TestReads_TakeOnlyTheirOptions(t *testing.T) {
	t.Parallel()
	type events = timeseries.Events[Reading]
	reads := []struct {
		name string
		read any
	}{
		{"Latest", (*events).Latest}, {"LatestBy", (*events).LatestBy}, {"History", (*events).History}, {"MergedHistory", (*events).MergedHistory},
		{"Page", (*events).Page}, {"Count", (*events).Count}, {"Rollups", (*events).Rollups}, {"RollupPage", (*events).RollupPage},
		{"WaitRollup", (*events).WaitRollup}, {"Total", (*events).Total}, {"Chart", (*events).Chart},
	}
	for _, option := range []struct {
		name, reads string
		option      any
	}{
		{"In", "History MergedHistory Page Count Rollups RollupPage Total Chart", timeseries.In},
		{"Between", "History MergedHistory Page Count", timeseries.Between},
		{"Where", "History MergedHistory Page Count", timeseries.Where},
		{"Only", "History MergedHistory Page", timeseries.Only},
		{"Newest", "History MergedHistory Page Rollups RollupPage Chart", timeseries.Newest},
		{"Limit", "LatestBy History MergedHistory Page Rollups RollupPage Chart", timeseries.Limit},
		{"After", "LatestBy Page Rollups RollupPage", timeseries.After},
		{"Consistent", "Latest History MergedHistory Page Count Rollups RollupPage Total Chart", timeseries.Consistent},
		{"AndSubjects", "Rollups RollupPage WaitRollup Total Chart", timeseries.AndSubjects},
		{"AndStreams", "Rollups RollupPage WaitRollup Total Chart", timeseries.AndStreams},
		{"InTier", "Chart", timeseries.InTier},
		{"Stitched", "Chart", timeseries.Stitched},
		{"Gaps", "Chart", timeseries.Gaps},
		{"Index", "LatestBy", timeseries.Index},
	} {
		var got []string
		for _, r := range reads {
			read := reflect.TypeOf(r.read)
			if taken := read.In(read.NumIn() - 1).Elem(); reflect.TypeOf(option.option).Out(0).AssignableTo(taken) {
				got = append(got, r.name)
			}
		}
		if got := strings.Join(got, " "); got != option.reads {
			t.Errorf("%s is an option of %s; want %s", option.name, got, option.reads)
		}
	}
}

func TestReads_RejectInvalidOptions(t *testing.T) {
	t.Parallel()
	events, ctx := filledEvents(t), context.Background()
	history := func(opts ...timeseries.HistoryOption) (err error) {
		for _, err = range events.History(ctx, sensor, opts...) {
			return err
		}
		return nil
	}
	_, openRange := events.Chart(ctx, sensor)
	_, noTier := events.Chart(ctx, sensor, timeseries.InTier(tier.Minute),
		timeseries.In(today.Add(-time.Hour), today))
	for name, c := range map[string]struct{ err, want error }{
		"a field that the model lacks":        {history(timeseries.Where("humidity", model.Exists, nil)), timeseries.ErrField},
		"enrichment, which no event has":      {history(timeseries.Where("accountId", model.Exists, nil)), timeseries.ErrField},
		"a projection of an unknown field":    {history(timeseries.Only("temperature", "humidity")), timeseries.ErrField},
		"an unknown comparison":               {history(timeseries.Where("temperature", "~", 1)), model.ErrCondition},
		"the order of booleans":               {history(timeseries.Where("temperature", model.Less, true)), model.ErrCondition},
		"a value that no field can have":      {history(timeseries.Where("temperature", model.Equal, []int{1})), model.ErrCondition},
		"a number that the table cannot hold": {history(timeseries.Where("temperature", model.Equal, 1e300)), model.ErrNumberRange},
		"a chart of all time":                 {openRange, timeseries.ErrTooLong},
		"a chart in an unknown tier":          {noTier, timeseries.ErrNoTier},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
}

func TestHistoryOf_MergesSeriesInOrder(t *testing.T) {
	t.Parallel()
	events, ctx := open[Reading](t, newTable(), iot.Readings), context.Background()
	for minute, stream := range []string{"b", "a", "", "a", "b"} {
		for _, s := range []string{stream, "all"} {
			if _, err := events.Append(ctx,
				Reading{Device: "sensor_01", Stream: s, At: today.Add(time.Duration(minute) * time.Minute)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	key := func(stream string) timeseries.Key { return timeseries.Key{Subject: "sensor_01", Stream: stream} }
	for name, c := range map[string]struct {
		keys []timeseries.Key
		opts []timeseries.HistoryOption
		want string
	}{
		"oldest first":       {[]timeseries.Key{key("a"), key("b"), key("")}, nil, "b0 a1 2 a3 b4"},
		"newest first":       {[]timeseries.Key{key("a"), key("b"), key("")}, []timeseries.HistoryOption{timeseries.Newest()}, "b4 a3 2 a1 b0"},
		"limited":            {[]timeseries.Key{key("a"), key("b")}, []timeseries.HistoryOption{timeseries.Limit(3)}, "b0 a1 a3"},
		"of a range":         {[]timeseries.Key{key("a"), key("b")}, []timeseries.HistoryOption{timeseries.In(today.Add(time.Minute), today.Add(4*time.Minute))}, "a1 a3"},
		"equal times":        {[]timeseries.Key{key("all"), key("a")}, []timeseries.HistoryOption{timeseries.Limit(4)}, "all0 all1 a1 all2"},
		"a series twice":     {[]timeseries.Key{key("a"), key("a")}, nil, "a1 a3"},
		"a series of no use": {[]timeseries.Key{key("none"), key("a")}, nil, "a1 a3"},
		"no series":          {nil, nil, ""},
	} {
		var got []string
		for r, err := range events.MergedHistory(ctx, c.keys, c.opts...) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(r.Stream, r.At.Sub(today).Minutes()))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, err := range events.MergedHistory(ctx, make([]timeseries.Key, 513)) {
		if !errors.Is(err, timeseries.ErrTooWide) {
			t.Errorf("513 series: %v, want %v", err, timeseries.ErrTooWide)
		}
	}
	for _, err := range events.MergedHistory(ctx, []timeseries.Key{sensor, {}}) {
		if !errors.Is(err, timeseries.ErrSeries) {
			t.Errorf("a series without a subject: %v, want %v", err, timeseries.ErrSeries)
		}
	}
}

func TestChart_MergesStreamsIntoOneCurve(t *testing.T) {
	t.Parallel()
	table, ctx := newTable(), context.Background()
	events := open[Reading](t, table, iot.Readings)
	for i, stream := range []string{"", "spare", "other"} {
		for _, device := range []string{"sensor_01", "sensor_02"} {
			if _, err := events.Append(ctx, Reading{Device: device, Stream: stream, At: today.Add(-time.Hour),
				Temperature: number(fmt.Sprint(i + 1))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	fold(table, events.Kind())
	hour := timeseries.In(today.Add(-2*time.Hour), today.Add(time.Hour))
	spare := timeseries.AndStreams("spare")
	other := timeseries.AndSubjects("sensor_02")
	curve, err := events.Chart(ctx, sensor, hour, spare, other, timeseries.Gaps())
	if err != nil || len(curve.Rollups) != 3 || !curve.Rollups[0].Gap || !curve.Rollups[2].Open ||
		curve.Cost.Units == 0 {
		t.Fatalf("got %d hours, %v; want a gap, one with events, and the open one", len(curve.Rollups), err)
	}
	if m := curve.Rollups[1].Measure("temperature"); m.Count != 4 || m.Sum != *number("6") {
		t.Errorf("%d values, sum %s; want 4 and 6", m.Count, m.Sum)
	}
	hours, err := events.Rollups(ctx, sensor, tier.Hour, hour, spare, other)
	if err != nil || len(hours.Rollups) != 1 || hours.Rollups[0].Measure("temperature").Count != 4 {
		t.Errorf("merged rollups: %v, %v", hours, err)
	}
}

func TestLatestBy_FindsItemsByAppendedFields(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.LatestBy = []catalog.LatestIndex{{Index: catalog.SecondIndex, By: []string{"location"}}}
	events, err := timeseries.Open[Reading](newTable(), kind,
		&timeseries.Options{Now: clock, CursorKey: []byte("a key for tests only")})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for i, location := range []string{"hall", "roof", "hall", "hall"} {
		if _, err := events.Append(ctx,
			Reading{Device: fmt.Sprint("sensor_0", i), At: today, Location: location}); err != nil {
			t.Fatal(err)
		}
	}
	got, next := "", ""
	for range 5 {
		page, err := events.LatestBy(ctx, []string{"hall"}, timeseries.Index(catalog.SecondIndex),
			timeseries.Limit(2), timeseries.After(next))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			got += fmt.Sprint(e.Value.Device, e.Err, " ")
		}
		if next = page.Next; next == "" {
			break
		}
	}
	if want := "sensor_00<nil> sensor_02<nil> sensor_03<nil> "; got != want || next != "" {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := events.LatestBy(ctx, []string{"hall"}); !errors.Is(err, timeseries.ErrNotIndexed) {
		t.Errorf("the other index: %v, want %v", err, timeseries.ErrNotIndexed)
	}
}
