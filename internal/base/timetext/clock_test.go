package timetext

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/model"
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
		{Clock{}, "2026-11-22 10:00", "", ErrNoZone},
		{Clock{Layout: german}, "22.07.2026 10:00", "", ErrNoZone},
		{Clock{Zone: berlin}, "22.07.2026 10:00", "2026-07-22T08:00:00.000Z", nil},
		{Clock{Zone: berlin}, "07/22/2026 10:00", "", ErrSlashes},
		{Clock{Zone: berlin}, "22.07.26", "2026-07-21T22:00:00.000Z", nil},
		{Clock{Zone: berlin}, "22.07.26 10:00", "2026-07-22T08:00:00.000Z", nil},
		{Clock{}, "2026-11-01 10:00:00+00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{}, "2026-11-01 10:00:01.123456+00", "2026-11-01T10:00:01.123Z", nil},
		{Clock{}, "2026-11-01 15:30:02+05:30", "2026-11-01T10:00:02.000Z", nil},
		{Clock{}, "2026-11-01 10:00:01.500000+00:00", "2026-11-01T10:00:01.500Z", nil},
		{Clock{}, "2026-11-01 10:00:00.5 UTC", "2026-11-01T10:00:00.500Z", nil},
		{Clock{}, "2026-11-01 10:00:00 -0800 PST", "2026-11-01T18:00:00.000Z", nil},
		{Clock{}, "20261101T100000Z", "2026-11-01T10:00:00.000Z", nil},
		{Clock{}, "Sun, 01 Nov 2026 10:00:00 GMT", "2026-11-01T10:00:00.000Z", nil},
		{Clock{}, "1793523600000000000", "2026-11-01T09:00:00.000Z", nil},
		{Clock{}, "1793523600000000", "2026-11-01T09:00:00.000Z", nil},
		{Clock{}, "1.7935236E+12", "2026-11-01T09:00:00.000Z", nil},
		{Clock{}, "1.7935236005e9", "2026-11-01T09:00:00.500Z", nil},
		{Clock{Zone: time.UTC}, "2026-11-1 9:05", "2026-11-01T09:05:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026/11/01  9:05:07", "2026-11-01T09:05:07.000Z", nil},
		{Clock{Zone: time.UTC}, "2026-11-01 10:00:00,5", "2026-11-01T10:00:00.500Z", nil},
		{Clock{Zone: time.UTC}, "01-Nov-2026 10:00:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026-W44-7", "2026-11-01T00:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026-W54-1", "", ErrNoTime},
		{Clock{}, "2026-W44-7T10:00:00Z", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026W447 10:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026.11.01 10:00:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026-11-01-10.00.00.123456", "2026-11-01T10:00:00.123Z", nil},
		{Clock{Zone: time.UTC}, "2026-11-01_10-00-00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "20261101-100000", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "20261101_1000", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "10:00 01.11.2026", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "10:00:05 PM 2026-11-01", "2026-11-01T22:00:05.000Z", nil},
		{Clock{Zone: time.UTC}, "20261101", "2026-11-01T00:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "202611011015", "2026-11-01T10:15:00.000Z", nil},
		{Clock{Zone: berlin}, "20261101101530", "2026-11-01T09:15:30.000Z", nil},
		{Clock{}, "20261101101530", "", ErrNoZone},
		{Clock{Zone: time.UTC}, "20261301", "", ErrSmall},
		{Clock{Zone: berlin}, "2026-11-01 24:00", "2026-11-01T23:00:00.000Z", nil},
		{Clock{}, "2026-12-31T24:00:00Z", "2027-01-01T00:00:00.000Z", nil},
		{Clock{Zone: berlin, Layout: german}, "31.12.2026 24:00", "2026-12-31T23:00:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-11-01 24:01", "", ErrNoTime},
		{Clock{Zone: time.UTC}, "Nov 1, 2026 1:05 pm", "2026-11-01T13:05:00.000Z", nil},
		{Clock{Zone: time.UTC}, "1 November 2026 10:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{}, "01/Nov/2026:10:00:00 +0100", "2026-11-01T09:00:00.000Z", nil},
		{Clock{Zone: time.UTC, Order: DayFirst}, "1/11/2026 10:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC, Order: MonthFirst}, "1/11/26 1:05 p.m.", "2026-01-11T13:05:00.000Z", nil},
		{Clock{Zone: time.UTC, Order: MonthFirst}, "25/11/2026", "", ErrSlashes},
		// Zones by name: of RFC 5322, or of the zone that is given, which also says winter or summer.
		{Clock{}, "2026-11-01 10:00:00 EST", "2026-11-01T15:00:00.000Z", nil},
		{Clock{}, "2026-11-01 10:00:00 PM PDT", "2026-11-02T05:00:00.000Z", nil},
		{Clock{}, "Sun, 01 Nov 2026 10:00:00 EST", "2026-11-01T15:00:00.000Z", nil},
		{Clock{}, "2026-07-01 10:00 CEST", "", ErrZoneName},
		{Clock{Zone: berlin}, "2026-07-01 10:00 CEST", "2026-07-01T08:00:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-07-01 10:00 CET", "2026-07-01T09:00:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-10-25 02:30 CET", "2026-10-25T01:30:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-10-25 02:30 CEST", "2026-10-25T00:30:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-07-01 10:00 IST", "", ErrZoneName},
		{Clock{Zone: zone("Asia/Kolkata")}, "2026-07-01 10:00 IST", "2026-07-01T04:30:00.000Z", nil},
		{Clock{Zone: zone("Asia/Shanghai")}, "2026-07-01 10:00 CST", "2026-07-01T02:00:00.000Z", nil},
		{Clock{}, "2026-07-01 10:00 CST", "2026-07-01T16:00:00.000Z", nil},
		{Clock{}, "2026-11-01 10:00 UTC+2", "2026-11-01T08:00:00.000Z", nil},
		{Clock{}, "2026-11-01 10:00:00+99:00", "", ErrNoTime},
		{Clock{}, "2026-11-01 10:00:00+05:75", "", ErrNoTime},
		// java.time.ZonedDateTime, JavaScript's Date, the command date, EXIF, Oracle, toLocaleString.
		{Clock{}, "2026-11-01T10:00:00+01:00[Europe/Berlin]", "2026-11-01T09:00:00.000Z", nil},
		{Clock{}, "Sun Nov 01 2026 10:00:00 GMT+0100 (CET)", "2026-11-01T09:00:00.000Z", nil},
		{Clock{}, "Sun Nov  1 10:00:01 UTC 2026", "2026-11-01T10:00:01.000Z", nil},
		{Clock{}, "Sun Nov 01 10:00:01 +0100 2026", "2026-11-01T09:00:01.000Z", nil},
		{Clock{}, "2026-11-01T10Z", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026:11:01 10:00:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "01-NOV-26 01.00.00.123000 PM", "2026-11-01T13:00:00.123Z", nil},
		{Clock{Zone: time.UTC}, "1.11.2026, 10:00:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC, Order: MonthFirst}, "11/1/2026, 10:00:00 AM", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC, Order: DayFirst}, "25-11-2026 10:00", "2026-11-25T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "01-11-2026 10:00", "", ErrSlashes},
		{Clock{Zone: time.UTC}, "2026-11-01 12:30 AM", "2026-11-01T00:30:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026-11-01 1:30:05PM", "2026-11-01T13:30:05.000Z", nil},
		{Clock{Zone: time.UTC, Order: MonthFirst}, "11/1/2026, 1:30\u202fPM", "2026-11-01T13:30:00.000Z", nil},
		{Clock{Zone: time.UTC}, "1.11.2026, 1:30:05\u00a0p.\u00a0m.", "2026-11-01T13:30:05.000Z", nil},
		{Clock{Zone: time.UTC, Order: DayFirst}, "1/11/2026, 1:30:05 a. m.", "2026-11-01T01:30:05.000Z", nil},
		{Clock{Zone: time.UTC, Order: DayFirst}, "1/11/2026, 1:30:05 μ.μ.", "2026-11-01T13:30:05.000Z", nil},
		{Clock{Zone: time.UTC, Order: DayFirst}, "1/11/2026 12:30:05 πμ", "2026-11-01T00:30:05.000Z", nil},
		{Clock{Zone: time.UTC}, "01.11.2026 01:30:05 nachm.", "2026-11-01T13:30:05.000Z", nil},
		{Clock{Zone: time.UTC}, "01.11.2026 12:30 vorm.", "2026-11-01T00:30:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026/11/01 午後1:30", "2026-11-01T13:30:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026/11/1 上午1:30:05", "2026-11-01T01:30:05.000Z", nil},
		{Clock{Zone: time.UTC}, "2026. 11. 1. 오후 1:30:05", "2026-11-01T13:30:05.000Z", nil},
		{Clock{Zone: time.UTC}, "2026/11/01-10:00:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026-11-01 10:00:00:123", "2026-11-01T10:00:00.123Z", nil},
		{Clock{Zone: time.UTC}, "1. November 2026 10:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026年11月1日 10:00", "2026-11-01T10:00:00.000Z", nil},
		{Clock{Zone: berlin}, "yesterday", "", ErrNoTime},
		// Intervals: ENTSO-E, ISO 8601, and a time of day or a duration as the end.
		{Clock{Zone: berlin}, "01.01.2026 00:00 - 01.01.2026 00:15", "2025-12-31T23:00:00.000Z", nil},
		{Clock{Zone: berlin}, "25.10.2026 02:00 - 25.10.2026 02:15", "", times.ErrTwice},
		{
			Clock{Zone: time.UTC, Order: DayFirst}, "01/02/2026 00:00:00 - 01/02/2026 00:15:00",
			"2026-02-01T00:00:00.000Z", nil,
		},
		{
			Clock{Zone: time.UTC, Layout: german}, "01.02.2026 00:00 - 01.02.2026 24:00",
			"2026-02-01T00:00:00.000Z", nil,
		},
		{Clock{}, "2026-01-01T00:00Z/2026-01-01T01:00Z", "2026-01-01T00:00:00.000Z", nil},
		{Clock{}, "2026-01-01T00:00:00+01:00/PT15M", "2026-01-01T00:00:00+01:00", nil},
		{Clock{Zone: time.UTC}, "2026-01-01 00:00 - 00:15", "2026-01-01T00:00:00.000Z", nil},
		{Clock{Zone: time.UTC}, "2026-01-01 - 00:15", "", ErrNoTime}, // a day and a time, or an interval
		{Clock{Zone: time.UTC}, "2026-01-01 00:00 - open", "", ErrNoTime},
		{Clock{Zone: berlin}, "46348", "", ErrSmall},
		{Clock{Zone: berlin}, "46348.5", "", ErrSmall},
		{Clock{Zone: time.UTC}, "2026", "2026-01-01T00:00:00.000Z", nil},
		{Clock{Zone: berlin, Layout: german}, "2026-11-22T10:00:00Z", "", ErrNoFormat},
		{Clock{}, "9999-12-31 23:59:59-01", "", model.ErrTimeRange},
		{Clock{}, "0001-01-01 00:00:00+01", "", model.ErrTimeRange},
		// 29 March 2026: 1:59:59 in Berlin is followed by 3:00, and 25 October has 2:30 twice.
		{Clock{Zone: berlin}, "2026-03-29 01:59:59", "2026-03-29T00:59:59.000Z", nil},
		{Clock{Zone: berlin}, "2026-03-29 02:30", "", times.ErrSkipped},
		{Clock{Zone: berlin}, "2026-03-29 03:00", "2026-03-29T01:00:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-10-25 01:59", "2026-10-24T23:59:00.000Z", nil},
		{Clock{Zone: berlin}, "2026-10-25 02:30", "", times.ErrTwice},
		{Clock{Zone: berlin}, "2026-10-25 03:00", "2026-10-25T02:00:00.000Z", nil},
		// Half an hour, on 5 April and 4 October 2026.
		{Clock{Zone: howe}, "2026-04-05 01:45", "", times.ErrTwice},
		{Clock{Zone: howe}, "2026-10-04 02:15", "", times.ErrSkipped},
	} {
		at, text, err := c.clock.Read(c.cell)
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

func TestClock_AFormatReadsWhatStrptimeReads(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ format, cell, want string }{
		{"%m/%d/%Y", "1/9/2026", "2026-01-09T00:00:00.000Z"},
		{"%m/%d/%Y", "12/31/2026", "2026-12-31T00:00:00.000Z"},
		{"%-m/%-d/%Y %-H:%M", "1/9/2026 7:05", "2026-01-09T07:05:00.000Z"},
		{"%Y-%m-%d %H:%M:%S%z", "2026-11-01 10:00:00+00:00", "2026-11-01T10:00:00.000Z"},
		{"%Y-%m-%d %H:%M:%S%z", "2026-11-01 10:00:00+0130", "2026-11-01T08:30:00.000Z"},
		{"%Y-%m-%d %H:%M:%S%z", "2026-11-01 10:00:00-02", "2026-11-01T12:00:00.000Z"},
		{"%Y-%m-%d %H:%M:%S.%f %Z", "2026-11-01 10:00:00.25 UTC", "2026-11-01T10:00:00.250Z"},
		{"%d %B %Y %I:%M %p", "1 November 2026 1:05 PM", "2026-11-01T13:05:00.000Z"},
		{"%d %b %Y %I:%M %p", "1 November 2026 1:05 p.m.", "2026-11-01T13:05:00.000Z"},
		{"%A %d %B %Y %r", "Sun 1 Nov 2026 01:05:00 am", "2026-11-01T01:05:00.000Z"},
		{"%d/%m/%Y%t%H:%M", "02/08/2022   15:30", "2022-08-02T15:30:00.000Z"},
		{"%d/%m/%Y %H:%M", "02/08/2022\t 15:30", "2022-08-02T15:30:00.000Z"},
		{"%x %X", "11/01/26 10:00:00", "2026-11-01T10:00:00.000Z"},
		{"%Om/%Ed/%Y", "11/1/2026", "2026-11-01T00:00:00.000Z"},
		{"excel", "46327.41666666667", "2026-11-01T10:00:00.000Z"},
		{"%Y-%m-%d %H:%M:%S %Z", "2026-11-01 10:00:00 EST", "2026-11-01T15:00:00.000Z"},
		{"%Y-%m-%d %H:%M:%S%z", "2026-11-01 10:00:00 PDT", ""},
		{"%Y-%m-%d %H:%M %Z", "2026-11-01 10:00 PDT", "2026-11-01T17:00:00.000Z"},
		{"%Y-%m-%d %H:%M %Z", "2026-11-01 10:00 IST", ""},
		{"%Y-%m-%dT%H:%M:%SZ", "2026-11-01T10:00:00Z", "2026-11-01T10:00:00.000Z"},
		{"%Y-%m-%dT%H:%M:%S.%fZ", "2026-11-01T10:00:00.5Z", "2026-11-01T10:00:00.500Z"},
		{"%Y_%m_%d %H:%M", "2026_11_01 10:00", "2026-11-01T10:00:00.000Z"},
		{"%d.%m.%Y %H:%M:%S:%f", "01.11.2026 10:00:00:250", "2026-11-01T10:00:00.250Z"},
		{"ns", "1793523600000000000", "2026-11-01T09:00:00.000Z"},
		{"%s", "1793523600", "2026-11-01T09:00:00.000Z"},
	} {
		clock := Clock{Zone: time.UTC}
		if err := clock.SetFormat(tc.format); err != nil {
			t.Fatal(err)
		}
		_, text, err := clock.Read(tc.cell)
		if (err != nil) != (tc.want == "") || err == nil && text != tc.want {
			t.Errorf("%q by %q is %s, %v; want %s", tc.cell, tc.format, text, err, tc.want)
		}
	}
	literal := Clock{Zone: time.FixedZone("", 3600)}
	if err := literal.SetFormat("%Y-%m-%dT%H:%M:%SZ"); err != nil {
		t.Fatal(err)
	}
	at, _, err := literal.Read("2026-11-01T10:00:00Z")
	if err != nil || at.String() != "2026-11-01T10:00:00.000Z" {
		t.Errorf("a Z in the format is read in the zone: %v, %v", at, err)
	}
	for _, format := range []string{"%Q", "%Y-%"} {
		if new(Clock).SetFormat(format) == nil {
			t.Errorf("%q is accepted", format)
		}
	}
	clock := Clock{Zone: time.UTC}
	if err := clock.SetFormat("%m/%d/%Y"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := clock.Read("2026-01-09"); err == nil || !strings.Contains(err.Error(), `"2026-01-09"`) ||
		!strings.Contains(err.Error(), `"%m/%d/%Y"`) {
		t.Errorf("%v, want the text and the format", err)
	}
}
