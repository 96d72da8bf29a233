package main

import (
	"bytes"
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
