package main

import "testing"

func TestCost_ShowsUnitsAndPricesByKind(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("cost READING --rate 1/m --batch 60 --series 100"), "100 series at 1/m, 60 in a request", "READING", "PROVISIONED")
	b.expect(0, words("cost READING --events 1e6/day --size 300"), "1000000 events a day of 300 bytes, from 695 series",
		"IN TOTAL, beside the stage at rest", "with latest: derived", "by HTTP API",
		"table provisioned with autoscaling, 70 % used", "Basic Ingest", "cheaper than AWS IoT Core from",
		"dev    1183 ", "prod   236520 ")
	b.expect(0, words("cost PAGEVIEW --events 1000/day --stage dev"), "In stage dev", "authorizer that runs for each view")
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

func TestConfigCheck_RecommendsModesForARate(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("config check --rate 1/h"), "READING at 1/h: hour immediate, day, month deferred costs least", "configured are all tiers deferred")
	b.expect(2, words("config check --rate 1"), "is not a rate")
}
