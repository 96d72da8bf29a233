package main

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/config"
)

// leanAlarms are the alarms of a stage with lean monitoring: nothing is lost or stops without
// one of them. What explains them is in AWS's own metrics, which cost nothing.
var leanAlarms = []string{"AggregateProgressAge", "OnFailureDepth", "UndeliveredDepth", "IngestErrors"}

func (s *stack) lean() bool { return s.stage.Monitoring == config.LeanMonitoring }

// watches reports whether the stage has an alarm.
func (s *stack) watches(alarm string) bool { return !s.lean() || slices.Contains(leanAlarms, alarm) }

// eventCounts makes Lambda publish how many records a mapping filtered, failed and dropped.
func (s *stack) eventCounts() any {
	if s.lean() {
		return nil
	}
	return eventCounts
}
