// Package tier describes the tiers of rollups: how time is cut into buckets, and how
// long the rows of each tier are kept. Each granularity is one row of data, so a new one
// needs no other code: nothing in the engine names a tier.
package tier

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// Unit is a registered granularity of time. The zero Unit is none. Units are not
// numbered by length: compare them with FinerThan.
type Unit int

// The units. To add one, add a row; its name is then a tier in configuration, keys, queries and commands.
var (
	Minute = Register(Granularity{Name: "minute", Adjective: "minutely", Layout: "2006-01-02-15-04",
		Length: time.Minute})
	Hour = Register(Granularity{Name: "hour", Adjective: "hourly", Layout: "2006-01-02-15", Length: time.Hour})
	Day  = Register(Granularity{Name: "day", Adjective: "daily", Layout: "2006-01-02", Length: Day24})
	// Week begins on Monday, as in ISO 8601; its label is the date of the Monday.
	Week = Register(Granularity{Name: "week", Adjective: "weekly", Layout: "2006-01-02", Length: 7 * Day24})
	// WeekSunday begins on Sunday.
	WeekSunday = Register(Granularity{
		Name: "week-sunday", Adjective: "weekly (from Sunday)", Layout: "2006-01-02",
		Length: 7 * Day24, Offset: 6 * Day24,
	})
	Month   = Register(Granularity{Name: "month", Adjective: "monthly", Layout: "2006-01", Months: 1})
	Quarter = Register(Granularity{Name: "quarter", Adjective: "quarterly", Layout: "2006-01", Months: 3})
)

// Granularity is one way to cut time into half-open UTC intervals without gaps.
// Exactly one of Length and Months is set.
type Granularity struct {
	Name      string // in keys, configuration and commands, as hour
	Adjective string // in texts, as hourly
	// Layout, as for time.Format, writes a bucket's start in keys. Byte order must be
	// time order, and two buckets must differ.
	Layout string
	// Length is the length of each bucket. Buckets are counted from Monday, 1 January of
	// the year 1, so 7 × 24 h are weeks that begin on Monday.
	Length time.Duration
	// Offset is when the first whole bucket of a Length begins, less than Length after 1 January of the year
	// 1.
	Offset time.Duration
	// Months is the length of each bucket in calendar months, counted from January: 1, 2, 3, 4, 6 or 12.
	Months int
}

// granularities are indexed by Unit; the zero Unit has none.
var granularities = make([]Granularity, 1)

// Register adds a granularity and returns its unit. It is for package initialisation: it must not run
// concurrently with any other use of this package. It panics where the granularity is invalid or its name is
// taken. Every program that uses a table must register the units of that table's tiers.
func Register(g Granularity) Unit {
	if err := g.validate(); err != nil {
		panic(fmt.Sprintf("tier: register %q: %v", g.Name, err))
	}
	granularities = append(granularities, g)
	return Unit(len(granularities) - 1)
}

func (g *Granularity) validate() error {
	if find(g.Name) != 0 || g.Name == "" || g.Name != strings.ToLower(g.Name) {
		return errors.New("the name must be in lower case and not registered yet")
	}
	if (g.Length > 0) == (g.Months > 0) || g.Length < 0 || g.Months < 0 {
		return errors.New("want either a length or a number of months")
	}
	if g.Offset < 0 || g.Offset > 0 && g.Offset >= g.Length || g.Offset%time.Millisecond != 0 {
		return errors.New("want an offset in whole milliseconds that is shorter than the length")
	}
	if g.Length%time.Millisecond != 0 || g.Months > 0 && 12%g.Months != 0 {
		return errors.New("want whole milliseconds, or months that divide a year")
	}
	start, end := g.bounds(time.Date(2024, 2, 29, 23, 59, 59, 0, time.UTC))
	read, err := time.Parse(g.Layout, start.Format(g.Layout))
	if err != nil || !read.Equal(start) || start.Format(g.Layout) >= end.Format(g.Layout) {
		return fmt.Errorf("layout %q does not distinguish and order the buckets that start at %s and %s", g.Layout,
			start, end)
	}
	return nil
}

// bounds returns the start and end of the bucket that contains at.
func (g *Granularity) bounds(at time.Time) (start, end time.Time) {
	if g.Months == 0 {
		start = at.Add(-g.Offset).Truncate(g.Length).Add(g.Offset)
		return start, start.Add(g.Length)
	}
	first := (int(at.Month())-1)/g.Months*g.Months + 1
	start = time.Date(at.Year(), time.Month(first), 1, 0, 0, 0, 0, time.UTC)
	return start, start.AddDate(0, g.Months, 0)
}

// Units returns every registered unit, finest first.
func Units() []Unit {
	all := make([]Unit, 0, len(granularities)-1)
	for u := range granularities[1:] {
		all = append(all, Unit(u+1))
	}
	slices.SortStableFunc(all, Unit.Compare)
	return all
}

// UnitNames returns the names of all units for texts: minute, hour, day, week, week-sunday, month or quarter.
func UnitNames() string {
	names := lists.Map(Units(), Unit.String)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ParseUnit returns the unit of that name.
func ParseUnit(name string) (Unit, error) {
	if u := find(name); u != 0 {
		return u, nil
	}
	return 0, fmt.Errorf("tier %q does not exist: want %s", name, UnitNames())
}

// find returns the unit of that name; zero where there is none.
func find(name string) Unit {
	for u := 1; u < len(granularities); u++ {
		if granularities[u].Name == name {
			return Unit(u)
		}
	}
	return 0
}

// Valid reports whether u is registered.
func (u Unit) Valid() bool { return u > 0 && int(u) < len(granularities) }

// String returns the unit's name, as hour.
func (u Unit) String() string {
	if !u.Valid() {
		return fmt.Sprintf("Unit(%d)", int(u))
	}
	return granularities[u].Name
}

// Adjective returns the unit's adjective, as hourly.
func (u Unit) Adjective() string { return granularities[u].Adjective }

// Longest returns the length of the unit's longest bucket.
func (u Unit) Longest() time.Duration {
	g := &granularities[u]
	longest := g.Length
	for month := 1; g.Months > 0 && month <= 12; month += g.Months {
		start, end := g.bounds(time.Date(2024, time.Month(month), 1, 0, 0, 0, 0, time.UTC)) // a leap year
		longest = max(longest, end.Sub(start))
	}
	return longest
}

// Compare orders units by the length of their longest bucket.
func (u Unit) Compare(o Unit) int { return cmp.Compare(u.Longest(), o.Longest()) }

// FinerThan reports whether the buckets of u are shorter than the buckets of o.
func (u Unit) FinerThan(o Unit) bool { return u.Compare(o) < 0 }

// NestsIn reports whether every bucket of coarse is made of complete buckets of u. Days
// nest in weeks and in months, but weeks do not nest in months.
func (u Unit) NestsIn(coarse Unit) bool {
	fine, over := &granularities[u], &granularities[coarse]
	switch {
	case fine.Months > 0:
		return over.Months > 0 && over.Months%fine.Months == 0
	case over.Months > 0: // months begin at any midnight
		return Day24%fine.Length == 0 && fine.Offset%fine.Length == 0
	default:
		return over.Length%fine.Length == 0 && (over.Offset-fine.Offset)%fine.Length == 0
	}
}
