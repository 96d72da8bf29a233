package local

import "sync"

// Moment is where in its life a process was when it was killed.
type Moment int

// The moments of a kill.
const (
	Idle      Moment = iota // between invocations
	Running                 // an invocation was handed over and not answered
	Answering               // all work was done, the answer was sent and not yet taken: between write and acknowledgement
)

var momentNames = [...]string{"idle", "running", "answering"}

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

// Deaths are the processes killed on purpose so far, in order.
func (f *Function) Deaths() []Death {
	f.deaths.mu.Lock()
	defer f.deaths.mu.Unlock()
	return append([]Death(nil), f.deaths.all...)
}

// Kill sends SIGKILL to one process, to one that is in an invocation where there is
// one. It reports false when no process was alive at that instant.
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

// KillNext arms a kill: the process that takes the next invocation is sent SIGKILL
// at that moment of it. Running kills as soon as the payload was handed over,
// Answering after the function sent its answer and before anybody took it. At most
// one kill is armed; a later call replaces it.
func (f *Function) KillNext(at Moment) { f.aim.Store(&at) }

// takeAim is the armed kill, once.
func (f *Function) takeAim() Moment {
	if at := f.aim.Swap(nil); at != nil {
		return *at
	}
	return Idle
}

// Function is a function of the stack by its name, as ingest; nil where none has it.
func (s *Stack) Function(name string) *Function { return s.functions[name] }
