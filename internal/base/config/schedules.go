package config

import "time"

// PurgeEvery is how often the purge function checks for purges to start or continue. A check
// is a query of one partition.
const PurgeEvery = time.Minute

// AlertsEvery is how often aggregate checks for alerts that were not delivered. A check is
// eight queries of an index, four read units.
const AlertsEvery = time.Minute

// Schedule invokes a function at an interval.
type Schedule struct {
	Name     string // of its resource
	Function string
	Purpose  string
	Every    time.Duration
	Sweeps   bool // several invocations at once sweep the queue, if the stage says so
}

// Schedules has a row for each schedule. The deployed stack and the local one have all of them.
var Schedules = []Schedule{
	{
		Name: "Purge", Function: "purge", Every: PurgeEvery,
		Purpose: "Starts purges that are due and resumes interrupted ones",
	},
	{
		Name: "Alerts", Function: "aggregate", Every: AlertsEvery, Sweeps: true,
		Purpose: "Delivers alert notifications that are waiting",
	},
}
