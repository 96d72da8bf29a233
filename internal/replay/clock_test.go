package replay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

func TestClock_ReadsTheTimesThatPeopleWrite(t *testing.T) {
	t.Parallel()
	zone := func(name string) *time.Location {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	berlin, howe := zone("Europe/Berlin"), zone("Australia/Lord_Howe")
	const german = "02.01.2006 15:04"
	for _, c := range []struct {
		clock Clock
		cell  string
		want  string // the text that is sent
		err   error
	}{
		{Clock{}, "2026-11-22T10:00:00+01:00", "2026-11-22T10:00:00+01:00", nil},
		{Clock{Zone: berlin}, "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z", nil},
		{Clock{Zone: berlin}, "1795345200", "1795345200", nil},
		{Clock{Zone: time.UTC}, "2026-11-22 10:00", "2026-11-22T10:00:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-11-22 10:00:30", "2026-11-22T09:00:30.000Z", nil},
		{Clock{Zone: berlin}, "2026-07-22", "2026-07-21T22:00:00.000Z", nil},
		{Clock{Zone: berlin, Layout: german}, "22.07.2026 10:00", "2026-07-22T08:00:00.000Z", nil},
		{Clock{Layout: german + " -0700"}, "22.07.2026 10:00 +0530", "2026-07-22T04:30:00.000Z", nil},
		{Clock{}, "2026-11-22 10:00", "", errNoZone},
		{Clock{Layout: german}, "22.07.2026 10:00", "", errNoZone},
		{Clock{Zone: berlin}, "22.07.2026 10:00", "", errNoTime},
		{Clock{Zone: berlin}, "yesterday", "", errNoTime},
		{Clock{Zone: berlin}, "46348", "", errSmall},
		{Clock{Zone: berlin}, "46348.5", "", errSmall},
		{Clock{Zone: time.UTC}, "2026", "2026-01-01T00:00:00.000Z", nil},
		{Clock{Zone: berlin, Layout: german}, "2026-11-22T10:00:00Z", "", errNoFormat},
		// 29 March 2026: 1:59:59 in Berlin is followed by 3:00, and 25 October has 2:30 twice.
		{Clock{Zone: berlin}, "2026-03-29 01:59:59", "2026-03-29T00:59:59.000Z", nil},
		{Clock{Zone: berlin}, "2026-03-29 02:30", "", errSkipped},
		{Clock{Zone: berlin}, "2026-03-29 03:00", "2026-03-29T01:00:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-10-25 01:59", "2026-10-24T23:59:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-10-25 02:30", "", errTwice},
		{Clock{Zone: berlin}, "2026-10-25 03:00", "2026-10-25T02:00:00.000Z", nil},
		// Half an hour, on 5 April and 4 October 2026.
		{Clock{Zone: howe}, "2026-04-05 01:45", "", errTwice},
		{Clock{Zone: howe}, "2026-10-04 02:15", "", errSkipped},
	} {
		at, text, err := c.clock.read(c.cell)
		switch {
		case !errors.Is(err, c.err) || (err == nil) != (c.err == nil):
			t.Errorf("%s with %+v: error %v, want %v", c.cell, c.clock, err, c.err)
		case err != nil && text != c.cell:
			t.Errorf("%s was refused, and became %s", c.cell, text)
		case err == nil && (text != c.want || at == 0):
			t.Errorf("%s with %+v is %s at %v, want %s", c.cell, c.clock, text, at, c.want)
		}
	}
}

// The form of the times of a file is its author's: an error before anything is sent. A single wrong time is
// one row's, which the API rejects.
func TestClock_RefusesAFileOfOtherTimes(t *testing.T) {
	t.Parallel()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	read := func(clock Clock, times ...string) (got []string, err error) {
		name := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(name, []byte("deviceId,timestamp\nd,"+strings.Join(times, "\nd,")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in := Input{Kind: &kinds.Kinds[0], Clock: clock}
		err = in.Each([]string{name}, func(o Observation) error {
			got = append(got, fmt.Sprintf("%s %t", o.Body, o.Timed))
			return nil
		})
		return got, err
	}
	if got, err := read(Clock{}, "", "2026-11-22 10:00", "2026-11-22 10:05"); !usage.Is(err) || !errors.Is(err, errNoZone) || !strings.Contains(err.Error(), "a.csv:3: ") || got != nil {
		t.Errorf("read %v, error %v, want the line, what is wrong, and no row", got, err)
	}
	if got, err := read(Clock{}, "2026-11-22T10:00:00Z", "46348"); !errors.Is(err, errSmall) || len(got) != 1 {
		t.Errorf("read %v, error %v, want that of the day number", got, err)
	}
	got, err := read(Clock{Zone: time.UTC}, "then", "2026-11-22 10:05")
	want := []string{`{"deviceId":"d","timestamp":"then"} false`, `{"deviceId":"d","timestamp":"2026-11-22T10:05:00.000Z"} true`}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}
