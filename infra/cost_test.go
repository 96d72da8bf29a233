package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func TestCost_IsComputedFromTheTemplate(t *testing.T) {
	for name, want := range map[string][]string{
		"dev":  {"tidemark-dev has", "1  AWS::DynamoDB::Table", "$   0.00  DynamoDB::Table", "metrics of the functions", "heartbeats", "in total"},
		"prod": {"$   3.00  CloudWatch::Dashboard", "$   1.20  Lambda::EventSourceMapping"},
		"full": {"$  78.29  DynamoDB::Table", "$  29.20  Kinesis::Stream", "$   2.40  ApplicationAutoScaling::ScalingPolicy", "$   1.00  KMS::Key"},
	} {
		text := printedCost(t, name)
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("%s: the output lacks %q:\n%s", name, line, text)
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
	if got := priceAtRest(t, "prod"); got != dollars {
		t.Errorf("docs/run/COST.md states $%s, but prod costs $%.2f at rest", stated[1], got)
	}
}

var total = regexp.MustCompile(`\$ *([0-9.]+)  in total`)

// priceAtRest is the monthly cost of an idle stage.
func priceAtRest(t *testing.T, name string) float64 {
	t.Helper()
	return parsedDollars(t, total, printedCost(t, name))
}

// parsedDollars returns the number that a pattern finds in a text.
func parsedDollars(t *testing.T, pattern *regexp.Regexp, text string) float64 {
	t.Helper()
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in %s", pattern, text)
	}
	dollars, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return dollars
}

// printedCost returns what is printed for a stage.
func printedCost(t *testing.T, name string) string {
	t.Helper()
	settings, err := configfile.Load(allStages(t, t.TempDir()), domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(settings.Stages, func(s config.Stage) bool { return s.Name == name })
	var text bytes.Buffer
	if err := writeCost(&text, settings.Stages[i], stage(t, name), settings); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// A lean stage is lean in use.
func TestLean_CostsLittleInUse(t *testing.T) {
	text := printedCost(t, "dev")
	for _, c := range []struct {
		pattern string
		most    float64
	}{
		{`1,000 readings a day +with the idle cost \$([0-9.]+)`, 2.50},
		{`\$ *([0-9.]+)  1,000,000 page views a month`, 5},
	} {
		if dollars := parsedDollars(t, regexp.MustCompile(c.pattern), text); dollars > c.most || dollars <= 0 {
			t.Errorf("%s: $%v, want at most $%v", c.pattern, dollars, c.most)
		}
	}
	t.Log(text)
}

func TestDev_CostsAtMostTwoDollarsAtRest(t *testing.T) {
	if dollars := priceAtRest(t, "dev"); dollars > 2 {
		t.Errorf("$%v", dollars)
	}
}

// Its receiver and its queue have a price of their own: two causes, and the alarm on the queue's age.
func TestLean_CostsAtMostTwoDollarsAtRestWithoutAReceiver(t *testing.T) {
	const causes, inboxAge = 2 * 0.50, 0.10
	if dollars := priceAtRest(t, "lean"); dollars-causes-inboxAge > 2 {
		t.Errorf("$%v, with two causes for $0.50 and an alarm for $0.10", dollars)
	}
}
