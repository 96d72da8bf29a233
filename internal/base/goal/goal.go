// Package goal finds which goals a session meets. A goal is data: events that the session must have, in an
// order, and how long it must last. A goal of several events is a funnel, whose steps are counted too. Goals
// are declared by a kind of sessions, and each is measures of it: 1 or 0 for each session, so that the sum is
// the sessions that met the goal, and the average is the conversion rate.
package goal

import (
	"fmt"
	"strconv"
	"time"
)

// Goal declares what a session must have to meet a goal. A session meets a goal at most once.
type Goal struct {
	Name string
	// in order, each met by an event of its own; none: every session of MinDuration
	Steps       []Step        `json:",omitempty"`
	MinDuration time.Duration `json:",omitempty"` // from the session's first event to its last one
	// Value names a number of the events that meet the last step. The sum of these numbers is
	// the value of the session. "" is none.
	Value string `json:",omitempty"`
}

// Step is one event of a session.
type Step struct {
	Of    string  // name of its kind
	Where []Match `json:",omitempty"` // all of them match
}

// Match is a text field and its pattern: in it, * is any text without a slash, and ** is any text.
type Match struct{ Field, Pattern string }

// MaxSteps is how many steps a goal can have.
const MaxSteps = 8

// String returns all of g but its name in one line.
func (g Goal) String() string {
	return fmt.Sprintf("steps %v, at least %s, value %q", g.Steps, g.MinDuration, g.Value)
}

// Field is the measure that is 1 for sessions that meet the goal, and 0 for others.
func (g Goal) Field() string { return "goal_" + g.Name }

// StepField is the measure that is 1 for sessions that meet the first n steps, in order. It
// exists for n from 1 to the last step but one.
func (g Goal) StepField(n int) string { return g.Field() + "_" + strconv.Itoa(n) }

// ValueField is the measure of the values of the sessions that meet the goal.
func (g Goal) ValueField() string { return g.Field() + "_value" }

// Fields returns all measures of the goal: the measures of its steps, its own, and its value's.
func (g Goal) Fields() (all []string) {
	for n := 1; n < len(g.Steps); n++ {
		all = append(all, g.StepField(n))
	}
	if all = append(all, g.Field()); g.Value != "" {
		all = append(all, g.ValueField())
	}
	return all
}
