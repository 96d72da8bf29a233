package terminal

import "io"

// Phases shows the progress of a run that has several phases, each with a Progress of its
// own. It is for one goroutine.
type Phases struct {
	w     io.Writer
	phase string
	shown Progress // nil before the first phase
}

// NewPhases returns a display on w that shows nothing yet.
func NewPhases(w io.Writer) *Phases { return &Phases{w: w} }

// Add counts n more in a phase. The first call of a phase ends the one before. See
// NewProgress for unit and total.
func (p *Phases) Add(phase, unit string, n, total int) {
	if p.shown == nil || phase != p.phase {
		p.Done()
		p.phase, p.shown = phase, NewProgress(p.w, phase, unit, total)
	}
	p.shown.Add(n)
}

// Done ends the display of the last phase.
func (p *Phases) Done() {
	if p.shown != nil {
		p.shown.Done()
	}
	p.shown = nil
}
