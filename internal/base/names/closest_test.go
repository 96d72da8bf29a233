package names

import "testing"

func TestClosest_FindsMisspelledWordsAndOtherForms(t *testing.T) {
	tiers := []string{"minute", "hour", "day", "week", "month"}
	for typed, want := range map[string]string{
		"Hourly": "hour", "weeks": "week", "monthly": "month", "quarter": "", "": "", "moth": "month",
		"daily": "day", "hour.utc": "hour", "wait": "", "may": "day", "data": "", "of": "",
		"dya": "day", "huor": "hour", "ruoh": "",
	} {
		if got := Closest(typed, tiers); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
	if got := Closest("temp", []string{"humidity", "temperature"}); got != "temperature" {
		t.Errorf("temp: got %q", got)
	}
	for _, words := range [][]string{{"Temperature", "temperature"}, {"temperature", "Temperature"}} {
		if got := Closest("temprature", words); got != "temperature" {
			t.Errorf("of %q: got %q, want the one in the same case", words, got)
		}
	}
	if got := DidYouMean("temprature",
		[]string{"humidity", "temperature"}); got != " (did you mean temperature?)" {
		t.Errorf("got %q", got)
	}
}
