package main

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A sketch knows a percentile within 1 %: more digits are not true.
func TestPercentileText_HasThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{22.4137: "22.4", 0.0012345: "0.00123", 12345: "12300", 1234567: "1.23e+06", -5.006: "-5.01", 0: "0"} {
		if got := percentileText(&x); got != want {
			t.Errorf("%v is printed as %s, want %s", x, got, want)
		}
	}
	if got := percentileText(nil); got != "" {
		t.Errorf("nil is printed as %q", got)
	}
}

func TestRuleStatus_AWrongRuleIsWrongUsage(t *testing.T) {
	for code, want := range map[string]int{alert.CodeRuleName: exitUsage, alert.CodeTooManyRules: exitNo, alert.CodeRuleGone: exitNo} {
		if got := ruleStatus([]model.FieldError{{Code: code}}); got != want {
			t.Errorf("%s ends with status %d, want %d", code, got, want)
		}
	}
}
