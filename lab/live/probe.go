package live

import (
	"context"
	"errors"
)

// probe is one assumption about AWS.
type probe struct {
	name    string
	assumes string
	page    string // where the assumption is made, from docs
	how     string // how it is probed
	suites  string // what the suites run it on
	run     func(context.Context, *account) (evidence string, err error)
}

// errNotSeen means that a probe could not be decided in its time, which says nothing about the assumption.
var errNotSeen = errors.New("not seen in time")

// scene is a state of the deployment in which probes run. Both begin and end may be called again.
type scene struct {
	name       string
	begin, end func(context.Context, *account) error // nil for none
	probes     []probe
}

// What the suites run a probe on.
const (
	onDynamoDB  = "DynamoDB Local"
	onStack     = "the local stack"
	onResponses = "recorded responses"
	onRecords   = "recorded records"
)

// scenes are all probes, in the order in which they run. An update of the second stage takes seven minutes:
// it begins early, and its end is looked for late. After the scene "refused", functions of the first stage
// may do what they could before, but its sources give up sooner.
var scenes = []scene{
	{name: "table", begin: createProbeTable, probes: tableProbes},
	{name: "sources", probes: sourceProbes},
	{name: "second", begin: awaitSecond, probes: secondProbes},
	{name: "update", begin: beginUpdate, probes: updateProbes},
	{name: "alarms", end: endAlarms, probes: alarmProbes},
	{name: "platform", end: endPlatform, probes: platformProbes},
	{name: "refused", begin: refuse, end: accept, probes: refusedProbes},
	{name: "accepted", begin: accept, probes: acceptedProbes},
	{name: "updated", probes: updatedProbes},
	{name: "ttl", probes: ttlProbes},
}

// allProbes returns the probes in order.
func allProbes() (all []probe) {
	for _, s := range scenes {
		all = append(all, s.probes...)
	}
	return all
}
