package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestCost_ShowsUnitsAndPricesByKind(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("cost READING --rate 1/m --batch 60 --series 100"), "100 series at 1/m, 60 in a request",
		"READING", "PROVISIONED")
	b.expect(0, words("cost READING --events 1e6/day --size 300"),
		"1000000 events a day of 300 bytes, from 695 series", "IN TOTAL, beside the stage at rest",
		"with latest: derived", "by HTTP API", "table provisioned with autoscaling, 70 % used", "Basic Ingest",
		"cheaper than AWS IoT Core from",
		"dev    1183 ", "prod   236520 ")
	b.expect(0, words("cost PAGEVIEW --events 1000/day --stage dev"), "In stage dev",
		"authorizer that runs for each view")
	b.expect(0, words("cost PAGEVIEW --events 1e6/month --stage dev"), "32877 events a day")
	b.expect(2, words("cost READING --events 1/s --series 3"), "--series follows from --events")
	b.expect(2, words("cost READING --events 1/s --stage none"), "declares no such stage")
	b.expect(2, words("cost --processes 1001"), "--processes is 1 to 1000")
	b.expect(2, words("cost READING --events many"), "is not a rate")
	b.expect(2, words("cost READING --events 1/s --size 500000"), "--size", "larger than a stored event")
	b.expect(2, words("cost NONE"), "no kind \"NONE\"")
	b.expect(2, words("cost --rate often"), "is not a rate")
	b.expect(2, words("cost --batch 0"), "--batch is 1 to 1000")
	b.expect(2, words("cost --series -1"), "--series at least 1")
}

// The README and WHEN-NOT state two figures of one command.
func TestCost_IsAsTheREADMEStates(t *testing.T) {
	out := newBench(t).expect(0, words("cost READING --events 1e5/day"))
	figure := func(pattern string) float64 {
		t.Helper()
		found := regexp.MustCompile(pattern).FindStringSubmatch(out)
		if found == nil {
			t.Fatalf("no %s in\n%s", pattern, out)
		}
		n, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	thousands := int(math.Round(figure(`TimescaleDB .* cheaper than HTTP API from (\d+) events`)/5000)) * 5
	for page, want := range map[string][]string{
		"README.md": {
			fmt.Sprintf("about %d,000 events a day", thousands),
			fmt.Sprintf("cost $%.0f a month", figure(`([\d.]+)  IN TOTAL`)),
		},
		"docs/use/WHEN-NOT.md": {fmt.Sprintf("more than about %d,000 events a day", thousands)},
	} {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, figure := range want {
			if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), figure) {
				t.Errorf("%s does not state: %s", page, figure)
			}
		}
	}
}

func TestConfigCheck_RecommendsModesForARate(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("config check --rate 1/h"),
		"READING at 1/h: hour immediate, day, month deferred costs least", "configured are all tiers deferred")
	b.expect(2, words("config check --rate 1"), "is not a rate")
}
