package model_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// The standard library is the oracle of the calendar: every day that a stored time
// can name, and days that do not exist.
func TestParseStored_KnowsTheCalendar(t *testing.T) {
	for year := 1968; year <= 2404; year++ {
		for month := 1; month <= 12; month++ {
			for _, day := range []int{0, 1, 27, 28, 29, 30, 31, 32} {
				text := time.Date(year, 1, 1, 13, 59, 7, 45e6, time.UTC).Format("2006") +
					"-" + twoDigits(month) + "-" + twoDigits(day) + "T13:59:07.045Z"
				want, wantErr := time.Parse(model.TimeLayout, text)
				got, err := model.ParseStored(text)
				if (err == nil) != (wantErr == nil) || err == nil && got != model.TimeOf(want) {
					t.Fatalf("%s is %s, %v; want %s, %v", text, got, err, want, wantErr)
				}
			}
		}
	}
}

func twoDigits(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

// One byte changed makes another time or none, never a wrong one.
func TestParseStored_AgreesWithParseTimeOnWhatLooksLikeATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := model.Time(rapid.Int64Range(int64(model.MinTime), int64(model.MaxTime)).Draw(t, "time"))
		text := []byte(at.String())
		i := rapid.IntRange(0, len(text)-1).Draw(t, "place")
		text[i] = rapid.SampledFrom([]byte("0123456789 -:.TZtz+/x")).Draw(t, "byte")
		got, err := model.ParseStored(string(text))
		if err != nil {
			return
		}
		if got.String() != string(text) && !strings.HasPrefix(string(text), "0000") {
			t.Fatalf("%s is read as %s", text, got)
		}
	})
}

// Every byte at every place: what is read is what a time of that text is, and what the
// standard library refuses is refused.
func TestParseStored_ReadsNoByteForAnother(t *testing.T) {
	for _, stored := range []string{"2026-04-20T14:05:09.123Z", "1999-12-31T23:59:59.999Z", "2024-02-29T00:00:00.000Z"} {
		var times model.StoredTimes // which has read the day before
		for place := range stored {
			for c := range 256 {
				text := []byte(stored)
				text[place] = byte(c)
				want, wantErr := time.Parse(model.TimeLayout, string(text))
				if wantErr == nil && want.Format(model.TimeLayout) != string(text) {
					wantErr = errors.New("another way to write it")
				}
				got, err := model.ParseStored(string(text))
				if (err == nil) != (wantErr == nil) || err == nil && got != model.TimeOf(want) {
					t.Fatalf("%q is %s, %v; want %s, %v", text, got, err, want, wantErr)
				}
				if _, err := times.Parse([]byte(stored)); err != nil {
					t.Fatal(err)
				}
				if again, failed := times.Parse(text); again != got || (failed == nil) != (err == nil) {
					t.Fatalf("%q after its day is %s, %v; want %s, %v", text, again, failed, got, err)
				}
			}
		}
	}
}

// Numbers as most are written have a way of their own; it must come to the same as the
// way of all numbers, which a plus sign takes.
func TestParseDecimal_ShortNumbersAreReadAsAllAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`0{0,2}[0-9]{1,20}(\.[0-9]{0,20})?`).Draw(t, "text")
		want, wantErr := model.ParseDecimal("+" + text)
		got, err := model.ParseDecimal(text)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s is %s, %v; with a plus sign %s, %v", text, got, err, want, wantErr)
		}
		if negative, err := model.ParseDecimal("-" + text); (err == nil) != (wantErr == nil) || negative != want.Neg() {
			t.Fatalf("-%s is %s, %v; want %s", text, negative, err, want.Neg())
		}
	})
}

func TestDecimal_EqualNumbersAndNoOthersHaveEqualBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, e := anyDecimal().Draw(t, "d"), anyDecimal().Draw(t, "e")
		if rapid.Bool().Draw(t, "near") {
			e = d.Neg()
		}
		one, other := string(d.AppendBinary(nil)), string(e.AppendBinary(nil))
		if (one == other) != (d == e) || d != e && (strings.HasPrefix(one, other) || strings.HasPrefix(other, one)) {
			t.Fatalf("%s is %x, %s is %x", d, one, e, other)
		}
	})
}
