package model_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func anyTime() *rapid.Generator[model.Time] {
	return rapid.Custom(func(t *rapid.T) model.Time {
		return model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, "ms"))
	})
}

func TestParseTime_AcceptsEachDocumentedForm(t *testing.T) {
	for text, want := range map[string]string{
		"2026-04-20T14:00:00Z":                "2026-04-20T14:00:00.000Z",
		"2026-04-20T14:00:00.5Z":              "2026-04-20T14:00:00.500Z",
		"2026-04-20T14:00:00.123Z":            "2026-04-20T14:00:00.123Z",
		"2026-04-20T14:00:00.12300000000000Z": "2026-04-20T14:00:00.123Z",
		"2026-04-20T14:00:00+02:00":           "2026-04-20T12:00:00.000Z",
		"2026-04-20T14:00:00-05:30":           "2026-04-20T19:30:00.000Z",
		"2026-04-20T14:00:00-00:00":           "2026-04-20T14:00:00.000Z",
		"2026-04-20T14:00:00+23:59":           "2026-04-19T14:01:00.000Z",
		"2026-04-20t14:00:00z":                "2026-04-20T14:00:00.000Z",
		"2026-04-20t14:00:00.25+01:00":        "2026-04-20T13:00:00.250Z",
		"2024-02-29T23:59:59.999Z":            "2024-02-29T23:59:59.999Z",
		"2000-02-29T00:00:00Z":                "2000-02-29T00:00:00.000Z",
		"2024-12-31T23:59:59.999Z":            "2024-12-31T23:59:59.999Z",
		"2025-01-01T00:30:00+01:00":           "2024-12-31T23:30:00.000Z",
		"1970-01-01T00:00:00Z":                "1970-01-01T00:00:00.000Z",
		"1969-12-31T23:59:59.999Z":            "1969-12-31T23:59:59.999Z",
		"0001-01-01T00:00:00Z":                "0001-01-01T00:00:00.000Z",
		"9999-12-31T23:59:59.999Z":            "9999-12-31T23:59:59.999Z",
		"0":                                   "1970-01-01T00:00:00.000Z",
		"1776693600":                          "2026-04-20T14:00:00.000Z",
		"1776693600.5":                        "2026-04-20T14:00:00.500Z",
		"1776693600.0070":                     "2026-04-20T14:00:00.007Z",
		"1776693600123":                       "2026-04-20T14:00:00.123Z",
		"1776693600123.000":                   "2026-04-20T14:00:00.123Z",
		"99999999999":                         "5138-11-16T09:46:39.000Z",
		"100000000000":                        "1973-03-03T09:46:40.000Z",
		"253402300799999":                     "9999-12-31T23:59:59.999Z",
		"0001776693600":                       "2026-04-20T14:00:00.000Z",
	} {
		got, err := model.ParseTime(text, model.RejectFinerTime)
		if err != nil || got.String() != want {
			t.Errorf("ParseTime(%q) = %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestParseTime_RejectsInvalidText(t *testing.T) {
	for _, text := range []string{
		"", " ", "nonsense", "yesterday", "null", "NaN", "Infinity", "T", "Z", "-", ":",
		"2023-02-29T00:00:00Z",      // no leap year
		"1900-02-29T00:00:00Z",      // no leap year either
		"2026-04-31T00:00:00Z",      // no such day
		"2026-13-01T00:00:00Z",      // no such month
		"2026-00-10T00:00:00Z",      // no such month
		"2026-04-20T24:00:00Z",      // midnight has one form
		"2026-04-20T14:60:00Z",      // no such minute
		"2016-12-31T23:59:60Z",      // a leap second
		"2026-W17-1T14:00:00Z",      // week date
		"2026-110T14:00:00Z",        // ordinal date
		"20260420T140000Z",          // basic form
		"2026-04-20",                // a date only
		"2026-04-20T14:00Z",         // no seconds
		"2026-04-20T14:00:00",       // no offset
		"2026-04-20 14:00:00Z",      // no T
		"2026-04-20T4:00:00Z",       // hour of one digit
		"2026-4-20T14:00:00Z",       // month of one digit
		"2026-04-20T14:00:00,5Z",    // comma
		"2026-04-20T14:00:00.Z",     // no digit after the point
		"2026-04-20T14:00:00+24:00", // no such offset
		"2026-04-20T14:00:00+01:60", // no such offset
		"2026-04-20T14:00:00+0100",  // offset without colon
		"2026-04-20T14:00:00+01",    // offset without minutes
		"2026-04-20T14:00:00UTC",    // named zone
		"2026-04-20T14:00:00ZZ",     // twice
		" 2026-04-20T14:00:00Z",     // space before
		"2026-04-20T14:00:00Z\n",    // line feed after
		"Mon, 20 Apr 2026 14:00:00 GMT",
		"12026-04-20T14:00:00Z",
		"-2026-04-20T14:00:00Z",
		"1e9", "1.5e9", "0x10", "1_000", "+5", "5.", ".5", ".", "1.2.3", "1,5", "--1", "- 1", "٣",
		strings.Repeat("9-", 5000),
	} {
		if got, err := model.ParseTime(text, model.TruncateFinerTime); !errors.Is(err, model.ErrTimeForm) {
			t.Errorf("ParseTime(%.60q) = %s, %v; want ErrTimeForm", text, got, err)
		} else if len(err.Error()) > 300 {
			t.Errorf("ParseTime(%.60q): the error has %d bytes", text, len(err.Error()))
		}
	}
}

func TestParseTime_RejectsTimesOutOfRange(t *testing.T) {
	for _, text := range []string{
		"0000-06-01T00:00:00Z",
		"0001-01-01T00:00:00+00:01",
		"9999-12-31T23:59:59.999-00:01",
		"-1", "-0", "-1776693600.5",
		"253402300800000",
		"9223372036854775807",
		"99999999999999999999999999999999",
	} {
		if got, err := model.ParseTime(text, model.RejectFinerTime); !errors.Is(err, model.ErrTimeRange) {
			t.Errorf("ParseTime(%q) = %s, %v; want ErrTimeRange", text, got, err)
		}
	}
}

func TestParseTime_FinerDigitsFollowThePolicy(t *testing.T) {
	for text, cut := range map[string]string{
		"2026-04-20T14:00:00.1234Z":          "2026-04-20T14:00:00.123Z",
		"2026-04-20T14:00:00.999999999Z":     "2026-04-20T14:00:00.999Z",
		"2026-04-20T14:00:00.0000000000001Z": "2026-04-20T14:00:00.000Z",
		"2026-04-20T14:00:00.0001+02:00":     "2026-04-20T12:00:00.000Z",
		"1969-12-31T23:59:59.9999Z":          "1969-12-31T23:59:59.999Z",
		"1776693600.1239":                    "2026-04-20T14:00:00.123Z",
		"1776693600123.9":                    "2026-04-20T14:00:00.123Z",
	} {
		if got, err := model.ParseTime(text, model.RejectFinerTime); !errors.Is(err, model.ErrTimeFiner) {
			t.Errorf("ParseTime(%q, RejectFinerTime) = %s, %v; want ErrTimeFiner", text, got, err)
		}
		if got, err := model.ParseTime(text, model.TruncateFinerTime); err != nil || got.String() != cut {
			t.Errorf("ParseTime(%q, TruncateFinerTime) = %s, %v; want %s", text, got, err, cut)
		}
	}
}

func TestTime_StoredFormIsFixedWidthAndItsByteOrderIsTimeOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyTime().Draw(t, "a"), anyTime().Draw(t, "b")
		if len(a.String()) != len(model.TimeLayout) {
			t.Fatalf("%s has %d bytes, want %d", a, len(a.String()), len(model.TimeLayout))
		}
		if got, want := strings.Compare(a.String(), b.String()), cmp.Compare(a, b); got != want {
			t.Fatalf("bytes of %s and %s compare as %d, the times as %d", a, b, got, want)
		}
		if back, err := model.ParseTime(a.String(), model.RejectFinerTime); err != nil || back != a {
			t.Fatalf("ParseTime(%s) = %s, %v", a, back, err)
		}
	})
}

func TestParseTime_AgreesWithTheStandardLibraryInEveryZone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := anyTime().Draw(t, "at")
		zone := time.FixedZone("", 60*rapid.IntRange(-23*60-59, 23*60+59).Draw(t, "offset minutes"))
		local := at.Time().In(zone)
		if local.Year() < 0 || local.Year() > 9999 {
			t.Skip("the zone's year has no RFC 3339 form")
		}
		text := local.Format("2006-01-02T15:04:05.000Z07:00")
		if got, err := model.ParseTime(text, model.RejectFinerTime); err != nil || got != at {
			t.Fatalf("ParseTime(%s) = %s, %v; want %s", text, got, err, at)
		}
	})
}

func TestTime_SubSaturates(t *testing.T) {
	if got := model.MaxTime.Sub(0); got < 290*365*24*time.Hour {
		t.Errorf("the year 9999 is %s after 1970", got)
	}
	if got := model.MinTime.Sub(model.MaxTime); got > -290*365*24*time.Hour {
		t.Errorf("the year 1 is %s after 9999", got)
	}
	if got := model.Time(1500).Sub(-500); got != 2*time.Second {
		t.Errorf("Sub = %s, want 2s", got)
	}
}

func TestTime_SecondsRoundDown(t *testing.T) {
	for ms, want := range map[model.Time]int64{0: 0, 999: 0, 1000: 1, -1: -1, -1000: -1, -1001: -2} {
		if got := ms.Seconds(); got != want {
			t.Errorf("Time(%d).Seconds() = %d, want %d", ms, got, want)
		}
	}
}

func TestTime_IsTextInJSON(t *testing.T) {
	type doc struct {
		At model.Time `json:"at"`
	}
	out, err := json.Marshal(doc{At: 1776693600123})
	if err != nil || string(out) != `{"at":"2026-04-20T14:00:00.123Z"}` {
		t.Fatalf("marshalled %s, %v", out, err)
	}
	var back doc
	if err := json.Unmarshal([]byte(`{"at":"2026-04-20T16:00:00.123+02:00"}`), &back); err != nil ||
		back.At != 1776693600123 {
		t.Errorf("unmarshalled %s, %v", back.At, err)
	}
	if err := json.Unmarshal([]byte(`{"at":"soon"}`), &back); !errors.Is(err, model.ErrTimeForm) {
		t.Errorf("unmarshalled an invalid time: %v, want ErrTimeForm", err)
	}
}

func FuzzParseTime(f *testing.F) {
	testenv.AddCorpus(f)
	for _, seed := range []string{"2026-04-20T14:00:00Z", "2026-04-20t14:00:00.0001+02:00", "1776693600.5", "-1",
		"9999-12-31T23:59:60Z", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cut, err := model.ParseTime(text, model.TruncateFinerTime)
		if err != nil {
			return
		}
		if cut < model.MinTime || cut > model.MaxTime {
			t.Fatalf("ParseTime(%q) = %d, out of range", text, cut)
		}
		if back, err := model.ParseTime(cut.String(), model.RejectFinerTime); err != nil || back != cut {
			t.Fatalf("ParseTime(%q) = %s, read back as %s, %v", text, cut, back, err)
		}
		parsed, err := model.ParseTime(text, model.RejectFinerTime)
		if err == nil && parsed != cut || err != nil && !errors.Is(err, model.ErrTimeFiner) {
			t.Fatalf("ParseTime(%q) is %s when cut, and %s, %v when rejected", text, cut, parsed, err)
		}
	})
}

func ExampleParseTime() {
	for _, text := range []string{"2026-04-20T16:00:00+02:00", "1776693600", "1776693600000"} {
		at, _ := model.ParseTime(text, model.RejectFinerTime)
		fmt.Println(at)
	}
	// Output:
	// 2026-04-20T14:00:00.000Z
	// 2026-04-20T14:00:00.000Z
	// 2026-04-20T14:00:00.000Z
}

// A number with an exponent is the time of the same number in plain digits, or neither is a time.
func TestParseEpoch_ReadsAnExponentAsItsDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := anyTime().Filter(func(at model.Time) bool { return at >= 0 }).Draw(t, "at")
		plain := fmt.Sprint(int64(at))
		if rapid.Bool().Draw(t, "seconds") {
			plain = fmt.Sprintf("%d.%03d", at/1000, at%1000)
		}
		integer, frac, _ := strings.Cut(plain, ".")
		point := rapid.IntRange(1, len(integer)).Draw(t, "digits before the point")
		form := rapid.SampledFrom([]string{
			"%s.%s%se%d", "%s.%s%sE%d", "%s.%s%se+%d", "%s.%s%sE0%d",
		}).Draw(t, "form")
		text := fmt.Sprintf(form, integer[:point], integer[point:], frac+"0", len(integer)-point)
		want, wantErr := model.ParseEpoch(plain, model.RejectFinerTime)
		got, err := model.ParseEpoch(text, model.RejectFinerTime)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s is %s, %v; %s is %s, %v", text, got, err, plain, want, wantErr)
		}
	})
	for text, want := range map[string]string{
		"1.7935272e9":          "2026-11-01T10:00:00.000Z",
		"1.7935272E12":         "2026-11-01T10:00:00.000Z",
		"1.793527200123E12":    "2026-11-01T10:00:00.123Z",
		"1.793527200123E9":     "2026-11-01T10:00:00.123Z",
		"0e0":                  "1970-01-01T00:00:00.000Z",
		"1e11":                 "1973-03-03T09:46:40.000Z",
		"253402300799.999E003": "9999-12-31T23:59:59.999Z",
	} {
		if got, err := model.ParseEpoch(text, model.RejectFinerTime); err != nil || got.String() != want {
			t.Errorf("ParseEpoch(%q) = %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"1.7935272001234e9": model.ErrTimeFiner, "1.7935272e15": model.ErrTimeRange,
		"-1e9": model.ErrTimeRange,
		"1e16": model.ErrTimeForm, "1e-3": model.ErrTimeForm, "1e": model.ErrTimeForm,
		"e9":   model.ErrTimeForm,
		"1.e9": model.ErrTimeForm, ".5e9": model.ErrTimeForm, "1.2.3e9": model.ErrTimeForm,
		"1e9e9": model.ErrTimeForm, "1x1e9": model.ErrTimeForm, "-e9": model.ErrTimeForm,
		"1e1_0": model.ErrTimeForm,
	} {
		if got, err := model.ParseEpoch(text, model.RejectFinerTime); !errors.Is(err, want) {
			t.Errorf("ParseEpoch(%q) = %s, %v; want %v", text, got, err, want)
		}
	}
}
