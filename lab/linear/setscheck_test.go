package linear

import (
	"math"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// appended is an append that was acknowledged; deleted a delete; lost one without response.
func appended(slot, payload uint8, call, end int64) Operation {
	return Operation{Series: "a", Verb: Append, Slot: slot, Payload: payload, Outcome: model.Applied, Call: call,
		Return: end}
}

func deleted(slot uint8, call, end int64) Operation {
	return Operation{Series: "a", Verb: Delete, Slot: slot, Found: true, Call: call, Return: end}
}

func corrected(slot, payload uint8, call, end int64) Operation {
	return Operation{Series: "a", Verb: Correct, Slot: slot, Payload: payload, Found: true, Call: call,
		Return: end}
}

func erased(slot uint8, call, end int64) Operation {
	return Operation{Series: "a", Verb: Erase, Slot: slot, Call: call, Return: end}
}

func onTime(o Operation) Operation {
	o.OnTime = true
	return o
}

func lost(o Operation) Operation {
	o.Lost, o.Return = true, math.MaxInt64
	return o
}

// Payloads 1 and 2 are in the first hour, payload 3 in the second; each read is from 100 to 110.
func TestCheckReads_AcceptsExactlyTheFoldsOfPossibleSets(t *testing.T) {
	both := []Operation{appended(1, 1, 10, 20), appended(2, 2, 30, 40)}
	for name, c := range map[string]struct {
		operations []Operation
		since      int64
		live       uint16
		sum        uint64
		inexact    bool
		problem    string
	}{
		"all that was acknowledged":              {both, 100, 0, 0b11, false, ""},
		"an acknowledged event is missing":       {both, 100, 0, 0b01, false, "was acknowledged"},
		"missing, but not yet promised":          {both, 35, 0, 0b01, false, ""},
		"missing, and its bucket is folded live": {both, 35, 1 << 2, 0b01, false, "was acknowledged"},
		"missing, and it was on time": {
			append(both[:1:1], onTime(both[1])), 35, 0, 0b01, false, "was acknowledged",
		},
		"on time, and sent during the read": {
			append(both[:1:1], onTime(appended(2, 2, 105, 107))), 100, 0, 0b01, false, "",
		},
		"deleted on time, and still there": {
			append(both, onTime(deleted(2, 50, 60))), 55, 0, 0b11, false, "deleted",
		},
		"corrected on time, with the old one": {
			append(both[:1:1], onTime(corrected(1, 2, 50, 60))), 55, 0, 0b01, false, "deleted",
		},
		"missing from a row that is inexact":  {both, 100, 0, 0b01, true, ""},
		"sent during the read, with":          {append(both[:1:1], appended(2, 2, 105, 120)), 100, 0, 0b11, false, ""},
		"sent during the read, without":       {append(both[:1:1], appended(2, 2, 105, 120)), 100, 0, 0b01, false, ""},
		"sent after the read":                 {append(both[:1:1], appended(2, 2, 115, 120)), 100, 0, 0b11, false, "not sent"},
		"never sent":                          {both[:1], 100, 0, 0b11, false, "not sent"},
		"without response, with":              {append(both[:1:1], lost(both[1])), 100, 0, 0b11, false, ""},
		"without response, without":           {append(both[:1:1], lost(both[1])), 100, 0, 0b01, false, ""},
		"deleted, and still there":            {append(both, deleted(2, 50, 60)), 100, 0, 0b11, false, "deleted"},
		"deleted, and gone":                   {append(both, deleted(2, 50, 60)), 100, 0, 0b01, false, ""},
		"deleted, not yet promised":           {append(both, deleted(2, 50, 60)), 55, 0, 0b11, false, ""},
		"deleted without response, there":     {append(both, lost(deleted(2, 50, 60))), 100, 0, 0b11, false, ""},
		"deleted without response, gone":      {append(both, lost(deleted(2, 50, 60))), 100, 0, 0b01, false, ""},
		"appended while it was deleted":       {append(both[:1:1], appended(2, 2, 40, 70), deleted(2, 50, 60)), 100, 0, 0b11, false, ""},
		"appended again after it was deleted": {append(both, deleted(2, 50, 60), appended(2, 2, 70, 80)), 100, 0, 0b01, false, "was acknowledged"},
		"erased, and still there":             {append(both, erased(2, 50, 60)), 100, 0, 0b11, false, "deleted"},
		"erased, and gone":                    {append(both, erased(2, 50, 60)), 100, 0, 0b01, false, ""},
		"corrected, with the new payload":     {append(both[:1:1], corrected(1, 2, 50, 60)), 100, 0, 0b10, false, ""},
		"corrected, with the old payload":     {append(both[:1:1], corrected(1, 2, 50, 60)), 100, 0, 0b01, false, "deleted"},
		"corrected, with neither":             {append(both[:1:1], corrected(1, 2, 50, 60)), 100, 0, 0, false, "was acknowledged"},
		"corrected, not yet promised":         {append(both[:1:1], corrected(1, 2, 50, 60)), 55, 0, 0b01, false, ""},
		"an event of another hour":            {append(both, appended(4, 3, 50, 60)), 50, 0, 0b111, false, "other buckets"},
	} {
		l := &Log{
			Kind:       &catalog.Kind{Retention: tier.Policy{Tiers: []tier.Tier{{Unit: tier.Hour, Retention: tier.Forever}}}},
			Base:       tier.Hour.BucketAt(1_776_681_000_000).Start,
			slots:      map[string][]uint8{"a": {1, 2, 4}},
			Operations: c.operations,
		}
		l.Reads = []Read{{Series: "a", Tier: "hour", From: l.Base, To: l.At(4), Call: 100, Return: 110,
			Since: c.since, Live: c.live,
			Rows: []Row{{Start: l.Base, Exact: !c.inexact, Sum: c.sum}}}}
		if got := l.checkReads("a"); (got == "") != (c.problem == "") || !strings.Contains(got, c.problem) {
			t.Errorf("%s: got %q, want %q", name, got, c.problem)
		}
	}
}

// The steps are one sequence; each must be possible exactly with the response that it has.
func TestModel_IsTheDocumentedPrecedenceOfOutcomes(t *testing.T) {
	steps := []struct {
		slot, payload, where uint8
		keep, drop, none     model.Outcome
	}{
		{5, 1, 0, model.Applied, model.Applied, model.Applied},
		{5, 1, 9, model.Duplicate, model.Duplicate, model.Duplicate},
		{5, 2, 9, model.Collision, model.Collision, model.Collision},
		{6, 3, 9, model.Conflict, model.Conflict, model.Conflict},
		{3, 4, 0, model.Late, model.Stale, model.Applied},
		{3, 4, 0, model.Duplicate, model.Stale, model.Duplicate},
		{2, 5, 1, model.Late, model.Stale, model.Conflict},
		{6, 6, 1, model.Applied, model.Applied, model.Conflict},
	}
	for name, p := range map[string]policy{"keep": {}, "drop": {drop: true}, "none": {withoutLatest: true}} {
		var s state
		for i, step := range steps {
			want := map[string]model.Outcome{"keep": step.keep, "drop": step.drop, "none": step.none}[name]
			got, next := p.append(s, &Operation{Slot: step.slot, Payload: step.payload, Where: step.where})
			if got != want {
				t.Errorf("%s, step %d: got %s, want %s", name, i, got, want)
			}
			s = next
		}
	}
}

func TestModel_CorrectsTheEventAndNotTheLatestItem(t *testing.T) {
	var p policy
	_, s := p.append(state{}, &Operation{Slot: 5, Payload: 1})
	if absent, _ := p.step(s, &Operation{Verb: Correct, Slot: 4, Payload: 2, Found: true}); absent {
		t.Error("an event that is not stored was corrected")
	}
	possible, s := p.step(s, &Operation{Verb: Correct, Slot: 5, Payload: 2, Found: true})
	event, _ := p.step(s, &Operation{Verb: ReadEvent, Slot: 5, Got: 2})
	latest, _ := p.step(s, &Operation{Verb: ReadLatest, GotSlot: 5, Got: 1})
	if !possible || !event || !latest {
		t.Errorf("corrected %t, the event has it %t, the latest item has not %t; want all", possible, event, latest)
	}
	for payload, want := range map[uint8]model.Outcome{1: model.Collision, 2: model.Duplicate} {
		if got, _ := p.append(s, &Operation{Slot: 5, Payload: payload}); got != want {
			t.Errorf("payload %d again: %s, want %s", payload, got, want)
		}
	}
}

func TestModel_RemembersTheLatestEventAfterItsDeletion(t *testing.T) {
	var p policy
	_, s := p.append(state{}, &Operation{Slot: 5, Payload: 1})
	possible, s := p.step(s, &Operation{Verb: Delete, Slot: 5, Found: true})
	if again, _ := p.step(s, &Operation{Verb: Delete, Slot: 5, Found: true}); !possible || again {
		t.Errorf("deletes are possible: %t, then %t; want true, then false", possible, again)
	}
	if unsure, _ := p.step(s, &Operation{Verb: Delete, Slot: 5, Found: true, Unsure: true}); !unsure {
		t.Error("a delete with a lost attempt counts an absent event as deleted")
	}
	if got, _ := p.append(s, &Operation{Slot: 5, Payload: 1}); got != model.Duplicate {
		t.Errorf("the deleted event appended again: got %s, want duplicate", got)
	}
}
