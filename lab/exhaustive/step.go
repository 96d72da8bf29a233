package exhaustive

import (
	"fmt"
)

// step is a transition: what a process did, or what happened.
type step struct {
	who      actor
	what     string
	event    int
	request  *request
	response *response
	to       state
	err      error // the violation that it shows
}

// actor is who takes a step: a process by its index, or one of these.
type actor int

const (
	operator actor = processCount + iota
	ticking
	user
	removal
)

var actorNames = [...]string{"function 0", "function 1", "ingest", "sweep", "reader", "operator", "clock",
	"user", "TTL"}

// String returns what happened, in one line.
func (s *step) String() string {
	text := actorNames[s.who] + ": " + s.what
	if s.who == ticking {
		text = "clock"
	}
	if s.request != nil {
		text += " " + s.request.text
	}
	if s.response != nil {
		text += ": " + s.response.text
	}
	if s.who == user || s.what == gets {
		text += fmt.Sprint(" event ", s.event)
	}
	return text
}

const gets = "gets" // what ingest does with an event

// memo returns what make returns, made once for each key.
func (x *system) memo(what string, a, b int, make func() any) any {
	key := memoKey{what: what, a: a, b: b}
	v, known := x.made.Load(key)
	if !known {
		v, _ = x.made.LoadOrStore(key, make())
	}
	return v
}

type memoKey struct {
	what string
	a, b int
}
