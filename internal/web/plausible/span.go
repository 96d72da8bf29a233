package plausible

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// span is the range of a query in the zone of its site.
type span struct {
	zone     *time.Location
	from, to model.Time
}

// day returns the start of a date of the zone.
func (s span) day(y int, m time.Month, d int) model.Time {
	return times.DayStart(s.zone, time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
}

// recent are the ranges that end now.
var recent = map[string]time.Duration{
	"realtime": 5 * time.Minute, "30m": 30 * time.Minute, "24h": 24 * time.Hour,
}

// countedRange are a number of days or months.
var countedRange = regexp.MustCompile(`^([1-9][0-9]{0,2})(d|mo)$`)

// parseSpan returns the range that a query names. Dates include the last one, and times the last second.
// Ranges of a number of days or months end before today or this month; day, month, year and all include
// today.
func parseSpan(text json.RawMessage, zone *time.Location, now model.Time) (span, error) {
	y, m, d := now.Time().In(zone).Date()
	s := span{zone: zone}
	name := strings.Trim(string(text), `"`)
	ends := []string{}
	s.to = s.day(y, m, d+1)
	_ = json.Unmarshal(text, &ends) // a value of another type has no ends
	counted := countedRange.FindStringSubmatch(name)
	from, named := map[string]model.Time{"day": s.day(y, m, d), "month": s.day(y, m, 1), "year": s.day(y, 1, 1),
		"all": s.day(2000, 1, 1)}[name]
	var err error
	switch {
	case recent[name] > 0:
		s.from, s.to = now.Add(-recent[name]), now+1
	case named:
		s.from = from
	case len(ends) == 2 && isDated(ends[0]) && isDated(ends[1]) &&
		(len(ends[0]) > len(time.DateOnly)) == (len(ends[1]) > len(time.DateOnly)):
		if s.from, err = times.ParseIn(ends[0], zone); err == nil {
			s.to, err = times.ParseIn(ends[1], zone)
		}
		if y, m, d := s.to.Time().In(zone).Date(); err == nil && len(ends[1]) == len(time.DateOnly) {
			s.to = s.day(y, m, d+1)
		} else {
			s.to += 1000 - s.to%1000
		}
	case counted != nil:
		n, _ := strconv.Atoi(counted[1]) // up to three digits
		if s.from, s.to = s.day(y, m, d-n), s.day(y, m, d); counted[2] == "mo" {
			s.from, s.to = s.day(y, m-time.Month(n), 1), s.day(y, m, 1)
		}
	default:
		s.to = 0
	}
	if err != nil && len(ends) == 2 || s.from >= s.to || s.to.Add(tier.Day24) > model.MaxTime {
		return s, refuse("date_range %.64s: want realtime, 24h, day, 7d, 30d, month, 6mo, 12mo, year, all, "+
			"or two dates or times, the earlier one first", text)
	}
	return s, nil
}

// isDated reports whether a text begins with a date: ten digits are seconds, and not a date.
func isDated(text string) bool {
	_, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
	return err == nil
}

// before returns the range of the same length that ends where this one begins: as many days, if it has whole
// days.
func (s span) before() span {
	length := s.to.Sub(s.from)
	days := int((length + 2*time.Hour) / tier.Day24) // a day may have 23 hours
	if y, m, d := s.from.Time().In(s.zone).Date(); s.day(y, m, d) == s.from && s.day(y, m, d+days) == s.to {
		return span{zone: s.zone, from: s.day(y, m, d-days), to: s.from}
	}
	return span{zone: s.zone, from: s.from.Add(-length), to: s.from}
}

// inUTC returns a function that moves the ends of periods from the midnights of a zone to the midnights of
// UTC of the same dates. Other ends stay.
func inUTC(zone *time.Location) func([]times.Period) []times.Period {
	s := span{zone: zone}
	move := func(at model.Time) model.Time {
		if y, m, d := at.Time().In(zone).Date(); at > model.MinTime && s.day(y, m, d) == at {
			return model.NewTime(time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
		}
		return at
	}
	return func(periods []times.Period) []times.Period {
		return lists.Map(periods, func(p times.Period) times.Period {
			p.Start, p.End = move(p.Start), move(p.End)
			return p
		})
	}
}

// The unit of hours, and the dimension whose unit depends on the range.
const hour, automatic = "hour", "time"

// isTime reports whether a dimension is one of time.
func isTime(name string) bool {
	unit, hasUnit := strings.CutPrefix(name, "time:")
	return name == automatic || hasUnit && unit != ""
}

// unit returns the unit of a time dimension; time has hours in up to two days, days in up to 40, weeks
// in up to 52, and months in a longer range.
func (s span) unit(dimension string) string {
	days := (s.to.Sub(s.from) - 2*time.Hour) / tier.Day24 // a day may have 25 hours
	switch {
	case dimension != automatic:
		return strings.TrimPrefix(dimension, "time:")
	case days < 2:
		return hour
	case days < 40:
		return string(times.Day)
	case days < 52*7:
		return string(times.Week)
	}
	return string(times.Month)
}

// periods cuts the range at a unit; "" is the whole range. A period that the range cuts has the label of the
// whole one, but the first week.
func (s span) periods(unit string) (all []times.Period, err error) {
	const most = 400
	switch known, err := times.ParseUnit(unit); {
	case unit == "":
		return []times.Period{{Start: s.from, End: s.to}}, nil
	case unit == hour:
		all = s.hours(most + 1)
	case err != nil:
		return nil, refuse("dimension time:%.64s: want time, time:hour, time:day, time:week or time:month", unit)
	default:
		all = times.Periods(s.zone, known, s.from, s.to, most+1)
	}
	if len(all) > most {
		return nil, refuse("the range has more than %d %ss: ask for longer ones, or for a shorter range", most,
			unit)
	}
	for i := range all {
		p := &all[i]
		begins := p.Start
		p.Start, p.End = max(p.Start, s.from), min(p.End, s.to)
		if unit == string(times.Week) {
			begins = p.Start // the first week of a range is named by the first day of the range
		}
		if unit != hour {
			p.Label = begins.Time().In(s.zone).Format(time.DateOnly)
		}
	}
	return all, nil
}

// hours returns the hours of the zone's clocks. An hour that the clocks show twice is one period.
func (s span) hours(limit int) (all []times.Period) {
	for at := s.from; at < s.to && len(all) < limit; at = all[len(all)-1].End {
		local := at.Time().In(s.zone)
		_, offset := local.Zone()
		next, label := at.Add(time.Hour-(time.Duration(at)*time.Millisecond+time.Duration(
			offset)*time.Second)%time.Hour), local.Format("2006-01-02 15:00:00")
		if len(all) == 0 || all[len(all)-1].Label != label {
			all = append(all, times.Period{Label: label, Start: at})
		}
		all[len(all)-1].End = next
	}
	return all
}
