package stack

import "sync"

// Moment is the state of a process when it was killed.
type Moment int

// The states in which a process can be killed.
const (
	Idle    Moment = iota // between invocations
	Running               // during an invocation
	// after the response was sent and before it is accepted: between the writes and the acknowledgement
	Responding
)

var momentNames = [...]string{"idle", "running", "responding"}

func (m Moment) String() string { return momentNames[m] }

// Death is one process killed on purpose.
type Death struct {
	PID int
	At  Moment
}

// deaths are the processes killed on purpose.
type deaths struct {
	mu  sync.Mutex
	all []Death // guarded by mu
}

func (f *Function) killed(d Death) {
	f.deaths.mu.Lock()
	f.deaths.all = append(f.deaths.all, d)
	f.deaths.mu.Unlock()
	if f.opts.OnKill != nil {
		f.opts.OnKill(d)
	}
}

// Deaths returns the processes killed on purpose so far, in order.
func (f *Function) Deaths() []Death {
	f.deaths.mu.Lock()
	defer f.deaths.mu.Unlock()
	return append([]Death(nil), f.deaths.all...)
}

// Kill sends SIGKILL to one process, preferably to one with a running invocation. It returns false
// if no process was running.
func (f *Function) Kill() (Death, bool) {
	for _, wantBusy := range []bool{true, false} {
		for _, s := range f.sandboxes {
			if d, ok := s.killNow(wantBusy); ok {
				f.killed(d)
				return d, true
			}
		}
	}
	return Death{}, false
}

// KillNext kills the process of the next invocation. Running kills it as soon as it has received the
// payload, Responding after it has sent its response and before the response is accepted. At most
// one kill is set; a later call replaces it.
func (f *Function) KillNext(at Moment) { f.armed.Store(&at) }

// nextKill returns the kill set by KillNext, once.
func (f *Function) nextKill() Moment {
	if at := f.armed.Swap(nil); at != nil {
		return *at
	}
	return Idle
}

// Function returns a function of the stack by name, such as ingest, or nil.
func (s *Stack) Function(name string) *Function { return s.functions[name] }
