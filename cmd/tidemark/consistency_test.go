package main

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestRuleStatus_AWrongRuleIsWrongUsage(t *testing.T) {
	for code, want := range map[string]int{alert.CodeRuleName: exitUsage, alert.CodeRuleTaken: exitNo,
		alert.CodeTooManyRules: exitNo, alert.CodeRuleGone: exitNo} {
		if got := ruleStatus([]model.FieldError{{Code: code}}); got != want {
			t.Errorf("%s ends with status %d, want %d", code, got, want)
		}
	}
}
