package times

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestParse_AcceptsTimesAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-01":                "2026-11-01T00:00:00.000Z",
		"2026-11":                   "2026-11-01T00:00:00.000Z",
		"2027":                      "2027-01-01T00:00:00.000Z",
		"2026-11-01 14:30":          "2026-11-01T14:30:00.000Z",
		"2026-11-01 14:30:05":       "2026-11-01T14:30:05.000Z",
		"2026-11-01T14:30":          "2026-11-01T14:30:00.000Z",
		" 2026-11-01T14:30:05 ":     "2026-11-01T14:30:05.000Z",
		"2026-11-01T14:30:05+02:00": "2026-11-01T12:30:05.000Z",
		"2026-11-01T14:30Z":         "2026-11-01T14:30:00.000Z",
		"2026-11-01T14:30+02:00":    "2026-11-01T12:30:00.000Z",
		"2026-11-01 14:30Z":         "2026-11-01T14:30:00.000Z",
		"2026-11-01 14:30:05-05:00": "2026-11-01T19:30:05.000Z",
		"1776643200":                "2026-04-20T00:00:00.000Z",
		"1776643200123":             "2026-04-20T00:00:00.123Z",
		"1776643200.5":              "2026-04-20T00:00:00.500Z",
		"0":                         "1970-01-01T00:00:00.000Z",
	} {
		if got, err := Parse(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestParse_RejectsWhatIsProbablyAMistake(t *testing.T) {
	for text, want := range map[string]error{
		"":                               ErrForm,
		"yesterday":                      ErrForm,
		"46000":                          ErrForm, // a spreadsheet's day number
		"46000.25":                       ErrForm,
		"20261101":                       ErrForm,
		"12":                             ErrForm,
		"2026-13":                        ErrForm,
		"2026-02-30":                     ErrForm,
		"2026-11-01 25:00":               ErrForm,
		"0000":                           model.ErrTimeRange,
		"-5":                             model.ErrTimeRange,
		"2026-11-01T14:30:05.123456789Z": model.ErrTimeFiner,
	} {
		if got, err := Parse(text); !errors.Is(err, want) {
			t.Errorf("%q: %s, %v; want %v", text, got, err, want)
		}
	}
	if _, err := Parse("46000"); !strings.Contains(err.Error(), "spreadsheet") {
		t.Errorf("46000: %v, want an error that names spreadsheets", err)
	}
}

// A time of day that clocks skip or show twice is not guessed. A day whose midnight is skipped begins later.
func TestParseIn_ExplainsTimesThatClocksSkipOrShowTwice(t *testing.T) {
	for _, c := range []struct {
		zone, text, want string
		err              error
	}{
		{"Europe/Berlin", "2026-10-25 02:30", "", ErrTwice},
		{"Europe/Berlin", "2026-10-25T02:59:59", "", ErrTwice},
		{"Europe/Berlin", "2026-03-29 02:30", "", ErrSkipped},
		{"Europe/Berlin", "2026-10-25 03:00", "2026-10-25T02:00:00.000Z", nil},
		{"Europe/Berlin", "2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00.000Z", nil},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z", nil},
		{"UTC", "0001-01-01 00:00", "0001-01-01T00:00:00.000Z", nil},
		{"Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z", nil}, // clocks go from 0:00 to 1:00
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseIn(c.text, zone)
		if !errors.Is(err, c.err) || c.err == nil && got.String() != c.want {
			t.Errorf("%s in %s: %s, %v; want %s, %v", c.text, c.zone, got, err, c.want, c.err)
		}
	}
}

func TestParse_ReturnsEachTimeFromItsStoredForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, "at"))
		if got, err := Parse(at.String()); err != nil || got != at {
			t.Errorf("%s: %s, %v", at, got, err)
		}
	})
}

func TestParseSpan_AcceptsDurationsAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "250ms": 250 * time.Millisecond, "30s": 30 * time.Second, "5m": 5 * time.Minute,
		"12h": 12 * time.Hour, "7d": 7 * day, "4w": 28 * day, "1y": 365 * day,
		"1h30m": 90 * time.Minute, "1d12h": 36 * time.Hour, "1.5h": 90 * time.Minute, "200y": longest,
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestSpan_TextIsRead(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": 0, "250ms": 250 * time.Millisecond, "30m": 30 * time.Minute, "1d12h": 36 * time.Hour,
		"1h30m5s": 90*time.Minute + 5*time.Second,
	} {
		var read Span
		if got := Span(d).Text(); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		} else if err := read.UnmarshalText([]byte(got)); err != nil || read != Span(d) {
			t.Errorf("%q is read as %s, %v", got, time.Duration(read), err)
		}
	}
}

func TestParseSpan_RejectsTheRest(t *testing.T) {
	for text, want := range map[string]error{
		"": ErrSpan, "7": ErrSpan, "d": ErrSpan, "7 d": ErrSpan, "-7d": ErrSpan, "7days": ErrSpan, "1.2.3h": ErrSpan, "5M": ErrSpan,
		"201y": ErrTooLong, "150y100y": ErrTooLong,
	} {
		if got, err := ParseSpan(text); !errors.Is(err, want) {
			t.Errorf("%q: %s, %v; want %v", text, got, err, want)
		}
	}
}
