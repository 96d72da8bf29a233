package terminal

import "testing"

// A sketch knows a percentile within 1 %: more digits are not true.
func TestPercentile_HasThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{22.4137: "22.4", 0.0012345: "0.00123", 12345: "12300",
		1234567: "1.23e+06", -5.006: "-5.01", 0: "0"} {
		if got := Percentile(&x); got != want {
			t.Errorf("%v is printed as %s, want %s", x, got, want)
		}
	}
	if got := Percentile(nil); got != "" {
		t.Errorf("nil is printed as %q", got)
	}
}
