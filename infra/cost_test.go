package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestCost_IsCountedFromTheTemplate(t *testing.T) {
	for name, want := range map[string][]string{
		"dev":  {"tidemark-dev would be", "1  AWS::DynamoDB::Table", "$   0.00  DynamoDB::Table", "$   3.00  CloudWatch::Dashboard", "in all"},
		"full": {"$  78.29  DynamoDB::Table", "$  29.20  Kinesis::Stream", "$   1.00  KMS::Key"},
	} {
		var text bytes.Buffer
		if err := writeCost(&text, name, stage(t, name)); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(text.String(), line) {
				t.Errorf("%s: %q is not said:\n%s", name, line, &text)
			}
		}
	}
}

var atRest = regexp.MustCompile(`at rest, \$([0-9.]+)`)

// A stage costs at rest what the page says, and the shipped ones the same.
func TestCost_IsWhatThePageSays(t *testing.T) {
	page, err := os.ReadFile("../docs/COST.md")
	if err != nil {
		t.Fatal(err)
	}
	told := atRest.FindSubmatch(page)
	if told == nil {
		t.Fatal("docs/COST.md does not say what a stage costs at rest")
	}
	dollars, err := strconv.ParseFloat(string(told[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dev", "prod"} {
		var text bytes.Buffer
		if err := writeCost(&text, name, stage(t, name)); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("$%7.2f  in all", dollars); !strings.Contains(text.String(), want) {
			t.Errorf("docs/COST.md says $%s, and of %s is said:\n%s", told[1], name, &text)
		}
	}
}
