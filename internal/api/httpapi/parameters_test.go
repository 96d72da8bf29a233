package httpapi

import (
	"strings"
	"testing"
)

func TestParseParameters_LimitsLengthAndRepetitions(t *testing.T) {
	t.Parallel()
	several := func(string) bool { return true }
	for raw, want := range map[string]bool{
		"with=" + strings.Repeat("a", MaxQuery-5): true,
		"with=" + strings.Repeat("a", MaxQuery):   false,
		strings.Repeat("with=a&", maxRepeated):    true,
		strings.Repeat("with=a&", maxRepeated+1):  false,
	} {
		if _, problem := ParseParameters(raw, []string{"with"}, several); (problem == nil) != want {
			t.Errorf("%d bytes, %.20s…: %v, want it parsed: %v", len(raw), raw, problem, want)
		}
	}
}
