package times

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func at(text string) model.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return model.NewTime(t)
}

func TestPeriods_FollowTheClockOfTheZone(t *testing.T) {
	for name, c := range map[string]struct {
		zone     string
		unit     Unit
		from, to string
		want     string
	}{
		"a day of 23 hours":            {"Europe/Berlin", Day, "2026-03-29T12:00:00Z", "2026-03-29T13:00:00Z", "2026-03-29 2026-03-28T23:00:00.000Z +23h0m0s; "},
		"a day of 25 hours":            {"Europe/Berlin", Day, "2026-10-25T12:00:00Z", "2026-10-25T13:00:00Z", "2026-10-25 2026-10-24T22:00:00.000Z +25h0m0s; "},
		"an offset of 45 minutes":      {"Asia/Kathmandu", Day, "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2026-01-01 2025-12-31T18:15:00.000Z +24h0m0s; "},
		"a midnight that was skipped":  {"America/Sao_Paulo", Day, "2018-11-04T12:00:00Z", "2018-11-04T13:00:00Z", "2018-11-04 2018-11-04T03:00:00.000Z +23h0m0s; "},
		"a date that was skipped":      {"Pacific/Apia", Day, "2011-12-29T12:00:00Z", "2011-12-30T12:00:00Z", "2011-12-29 2011-12-29T10:00:00.000Z +24h0m0s; 2011-12-31 2011-12-30T10:00:00.000Z +24h0m0s; "},
		"a week from Monday to Sunday": {"Europe/Berlin", Week, "2026-03-29T12:00:00Z", "2026-03-29T13:00:00Z", "2026-W13 2026-03-22T23:00:00.000Z +167h0m0s; "},
		"a month":                      {"America/New_York", Month, "2026-03-01T04:00:00Z", "2026-03-01T06:00:00Z", "2026-02 2026-02-01T05:00:00.000Z +672h0m0s; 2026-03 2026-03-01T05:00:00.000Z +743h0m0s; "},
		"a midnight that comes twice":  {"America/St_Johns", Day, "2010-11-07T12:00:00Z", "2010-11-07T13:00:00Z", "2010-11-07 2010-11-07T02:30:00.000Z +25h0m0s; "},
		"a week from Sunday": {"Europe/Berlin", WeekSunday, "2026-03-29T12:00:00Z", "2026-03-29T13:00:00Z",
			"2026-03-29 2026-03-28T23:00:00.000Z +167h0m0s; "},
		"two quarters": {"Europe/Berlin", Quarter, "2026-03-31T21:00:00Z", "2026-03-31T23:00:00Z",
			"2026-Q1 2025-12-31T23:00:00.000Z +2159h0m0s; 2026-Q2 2026-03-31T22:00:00.000Z +2184h0m0s; "},
		"a quarter of its last month": {"UTC", Quarter, "2026-12-31T12:00:00Z", "2026-12-31T13:00:00Z",
			"2026-Q4 2026-10-01T00:00:00.000Z +2208h0m0s; "},
		"an empty range": {"UTC", Day, "2026-03-29T12:00:00Z", "2026-03-29T00:00:00Z", ""},
	} {
		zone, err := Zone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range Periods(zone, c.unit, at(c.from), at(c.to), 10) {
			got += fmt.Sprintf("%s %s +%s; ", p.Label, p.Start, p.End.Sub(p.Start))
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestZone_RejectsWhatIsNotInTheDatabase(t *testing.T) {
	for _, name := range []string{"", "Local", "Mars/Olympus", "../etc/passwd"} {
		if _, err := Zone(name); !errors.Is(err, ErrZone) {
			t.Errorf("%q: %v, want ErrZone", name, err)
		}
	}
	if _, err := ParseUnit("hour"); !errors.Is(err, ErrUnit) {
		t.Errorf("hour: %v, want ErrUnit", err)
	}
}

// oracle prints, for zones and each day around a change of their offset between 1970 and 2037, the
// first second at which the zone has the date or a later one. Where a zone has the midnight twice,
// the search may find the second one: fold=0 is the first.
const oracle = `
import sys, zoneinfo
from datetime import date, datetime, timedelta, timezone
UTC = timezone.utc
for name in sorted(zoneinfo.available_timezones())[::int(sys.argv[1])]:
    if name in ("localtime", "posixrules", "Factory"): continue
    zone = zoneinfo.ZoneInfo(name)
    day, dates = datetime(1850, 1, 1, tzinfo=UTC), set()
    offset = day.astimezone(zone).utcoffset()
    while day.year < 2038:
        day += timedelta(days=1)
        changed = day.astimezone(zone).utcoffset()
        if changed != offset:
            dates.update((day + timedelta(days=n)).date() for n in (-2, -1, 0, 1))
        offset = changed
    for d in sorted(dates):
        midnight = int(datetime(d.year, d.month, d.day, tzinfo=UTC).timestamp())
        low, high = midnight - 172800, midnight + 172800
        while low < high:
            middle = (low + high) // 2
            if datetime.fromtimestamp(middle, zone).date() >= d: high = middle
            else: low = middle + 1
        first = int(datetime(d.year, d.month, d.day, tzinfo=zone, fold=0).timestamp())
        if datetime.fromtimestamp(first, zone).date() == d: low = min(low, first)
        print(name, d.isoformat(), low)
`

// Every day around a change of offset begins where Python says, whatever the zone.
func TestPeriods_BeginWherePythonSays(t *testing.T) {
	every := "20"
	if testenv.Long() {
		every = "1"
	}
	cmd := exec.CommandContext(t.Context(), "python3", "-c", oracle, every)
	cmd.Env = append(cmd.Environ(), "PYTHONTZPATH=/usr/share/zoneinfo:/usr/lib/zoneinfo")
	out, err := cmd.Output()
	if err != nil || len(out) == 0 {
		testenv.Missing(t, "zoneinfo", fmt.Sprintf("python3 with a time zone database is not installed: %v", err))
	}
	days := 0
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); days++ {
		var name, date string
		var want int64
		if _, err := fmt.Sscan(lines.Text(), &name, &date, &want); err != nil {
			t.Fatal(err)
		}
		zone, err := Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayStart(zone, day); got != model.Time(want*1000) {
			t.Errorf("%s %s begins at %s, want %s", name, date, got, model.Time(want*1000))
		}
		if got, err := ParseIn(date, zone); err != nil || got != model.Time(want*1000) {
			t.Errorf("%s of %s is %s %v, want %s", date, name, got, err, model.Time(want*1000))
		}
	}
	t.Logf("%d days", days)
}

func TestZone_NamesTheZoneThatWasMeant(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"Berlin": "Europe/Berlin", "europe/berlin": "Europe/Berlin", "New York": "America/New_York",
		"Europe/Berln": "Europe/Berlin", "Kalkuta": "Asia/Kolkata", "Tokio": "Asia/Tokyo", "utc": "UTC",
		"UTC+2": "", "Nowhereland": "", "": "",
	} {
		_, err := Zone(typed)
		if !errors.Is(err, ErrZone) {
			t.Fatalf("%q: %v, want ErrZone", typed, err)
		}
		if got := similarZone(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
		if want != "" && !strings.HasSuffix(err.Error(), " (did you mean "+want+"?)") {
			t.Errorf("%q: %v", typed, err)
		}
	}
	zones := strings.Fields(zoneNames)
	if len(zones) < 400 {
		t.Errorf("%d names of zones", len(zones))
	}
	for _, name := range zones {
		if _, err := Zone(name); err != nil {
			t.Errorf("%s of zones.txt: %v", name, err)
		}
	}
}
