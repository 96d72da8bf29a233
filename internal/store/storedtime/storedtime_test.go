package storedtime_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The standard library is the oracle: every day of the years around a leap cycle, and days
// that do not exist.
func TestParse_KnowsTheCalendar(t *testing.T) {
	for year := 1968; year <= 2404; year++ {
		for month := 1; month <= 12; month++ {
			for _, day := range []int{0, 1, 27, 28, 29, 30, 31, 32} {
				text := time.Date(year, 1, 1, 13, 59, 7, 45e6, time.UTC).Format("2006") +
					"-" + twoDigits(month) + "-" + twoDigits(day) + "T13:59:07.045Z"
				want, wantErr := time.Parse(model.TimeLayout, text)
				got, err := storedtime.Parse(text)
				if (err == nil) != (wantErr == nil) || err == nil && got != model.NewTime(want) {
					t.Fatalf("%s is %s, %v; want %s, %v", text, got, err, want, wantErr)
				}
			}
		}
	}
}

func twoDigits(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

// A text with one changed byte is the time that it says, or an error.
func TestParse_ReturnsTheTimeThatTheTextSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, "time"))
		text := []byte(at.String())
		i := rapid.IntRange(0, len(text)-1).Draw(t, "index")
		text[i] = rapid.SampledFrom([]byte("0123456789 -:.TZtz+/x")).Draw(t, "byte")
		got, err := storedtime.Parse(string(text))
		if err != nil {
			return
		}
		if got.String() != string(text) && !strings.HasPrefix(string(text), "0000") {
			t.Fatalf("%s is parsed as %s", text, got)
		}
	})
}

// Each byte at each index: the result equals the standard library's, or is an error where the
// standard library returns one.
func TestParse_AgreesWithTheStandardLibraryForEachByte(t *testing.T) {
	for _, stored := range []string{"2026-04-20T14:05:09.123Z", "1999-12-31T23:59:59.999Z",
		"2024-02-29T00:00:00.000Z"} {
		var parser storedtime.Parser
		for i := range stored {
			for c := range 256 {
				text := []byte(stored)
				text[i] = byte(c)
				want, wantErr := time.Parse(model.TimeLayout, string(text))
				if wantErr == nil && want.Format(model.TimeLayout) != string(text) {
					wantErr = errors.New("another form")
				}
				got, err := storedtime.Parse(string(text))
				if (err == nil) != (wantErr == nil) || err == nil && got != model.NewTime(want) {
					t.Fatalf("%q is %s, %v; want %s, %v", text, got, err, want, wantErr)
				}
				if _, err := parser.Parse([]byte(stored)); err != nil {
					t.Fatal(err)
				}
				if again, failed := parser.Parse(text); again != got || (failed == nil) != (err == nil) {
					t.Fatalf("%q after a time of the same day is %s, %v; want %s, %v", text, again, failed, got, err)
				}
			}
		}
	}
}

func TestParse_AcceptsOneFormOnly(t *testing.T) {
	for _, text := range []string{
		"", "2026-04-20T14:00:00Z", "2026-04-20T14:00:00.0Z", "2026-04-20t14:00:00.000Z", "2026-04-20T14:00:00.000z",
		"2026-04-20T14:00:00.0000Z", "2026-04-20T14:00:00+00:00", "2026-04-20T14:00:0.0000Z", "0000-04-20T14:00:00.000Z",
		"2026-02-30T14:00:00.000Z", "2026-04-20T14:00:00.00xZ", "177669360000000000000000",
	} {
		if got, err := storedtime.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", text, got)
		}
	}
}

func TestParse_IsTheInverseOfString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, "time"))
		if got, err := storedtime.Parse(at.String()); err != nil || got != at {
			t.Fatalf("Parse(%s) = %s, %v", at, got, err)
		}
	})
}
