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

func TestCost_IsComputedFromTheTemplate(t *testing.T) {
	for name, want := range map[string][]string{
		"dev":  {"tidemark-dev has", "1  AWS::DynamoDB::Table", "$   0.00  DynamoDB::Table", "$   3.00  CloudWatch::Dashboard", "$   1.20  Lambda::EventSourceMapping", "metrics of the functions", "heartbeats", "in total"},
		"full": {"$  78.29  DynamoDB::Table", "$  29.20  Kinesis::Stream", "$   1.00  KMS::Key"},
	} {
		var text bytes.Buffer
		if err := writeCost(&text, name, stage(t, name), hasDeferred(shipped(t))); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(text.String(), line) {
				t.Errorf("%s: the output lacks %q:\n%s", name, line, &text)
			}
		}
	}
}

var idleCost = regexp.MustCompile(`idle cost of a stage, \$([0-9.]+)`)

// docs/COST.md states the idle cost of the shipped stages.
func TestCost_IsTheOneInTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/COST.md")
	if err != nil {
		t.Fatal(err)
	}
	stated := idleCost.FindSubmatch(page)
	if stated == nil {
		t.Fatal("docs/COST.md does not state the idle cost of a stage")
	}
	dollars, err := strconv.ParseFloat(string(stated[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dev", "prod"} {
		var text bytes.Buffer
		if err := writeCost(&text, name, stage(t, name), hasDeferred(shipped(t))); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("$%7.2f  in total", dollars); !strings.Contains(text.String(), want) {
			t.Errorf("docs/COST.md states $%s, but the cost of %s is:\n%s", stated[1], name, &text)
		}
	}
}

var total = regexp.MustCompile(`\$ *([0-9.]+)  in total`)

func TestLean_CostsAtMostTwoDollarsAtRestWithoutAReceiver(t *testing.T) {
	var text bytes.Buffer
	if err := writeCost(&text, "lean", stage(t, "lean"), true); err != nil {
		t.Fatal(err)
	}
	m := total.FindStringSubmatch(text.String())
	if m == nil {
		t.Fatalf("no total in %s", &text)
	}
	dollars, err := strconv.ParseFloat(m[1], 64)
	if err != nil || dollars-2*0.50 > 2 {
		t.Errorf("$%v at rest with two causes for $0.50, %v:\n%s", dollars, err, &text)
	}
}
