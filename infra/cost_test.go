package main

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestCost_IsComputedFromTheTemplate(t *testing.T) {
	for name, want := range map[string][]string{
		"dev":  {"tidemark-dev has", "1  AWS::DynamoDB::Table", "$   0.00  DynamoDB::Table", "metrics of the functions", "heartbeats", "in total"},
		"prod": {"$   3.00  CloudWatch::Dashboard", "$   1.20  Lambda::EventSourceMapping"},
		"full": {"$  78.29  DynamoDB::Table", "$  29.20  Kinesis::Stream", "$   2.40  ApplicationAutoScaling::ScalingPolicy", "$   1.00  KMS::Key"},
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

// docs/run/COST.md states the idle cost of the shipped stages.
func TestCost_IsTheOneInTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/run/COST.md")
	if err != nil {
		t.Fatal(err)
	}
	stated := idleCost.FindSubmatch(page)
	if stated == nil {
		t.Fatal("docs/run/COST.md does not state the idle cost of a stage")
	}
	dollars, err := strconv.ParseFloat(string(stated[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	if got := atRestOf(t, "prod"); got != dollars {
		t.Errorf("docs/run/COST.md states $%s, but prod costs $%.2f at rest", stated[1], got)
	}
}

var total = regexp.MustCompile(`\$ *([0-9.]+)  in total`)

// atRestOf is the monthly cost of an idle stage.
func atRestOf(t *testing.T, name string) float64 {
	t.Helper()
	var text bytes.Buffer
	if err := writeCost(&text, name, stage(t, name), hasDeferred(shipped(t))); err != nil {
		t.Fatal(err)
	}
	m := total.FindStringSubmatch(text.String())
	if m == nil {
		t.Fatalf("no total in %s", &text)
	}
	dollars, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return dollars
}

func TestDev_CostsAtMostTwoDollarsAtRest(t *testing.T) {
	if dollars := atRestOf(t, "dev"); dollars > 2 {
		t.Errorf("$%v", dollars)
	}
}

func TestLean_CostsAtMostTwoDollarsAtRestWithoutAReceiver(t *testing.T) {
	if dollars := atRestOf(t, "lean"); dollars-2*0.50 > 2 {
		t.Errorf("$%v, with two causes for $0.50", dollars)
	}
}
