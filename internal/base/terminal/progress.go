package terminal

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress shows how far a long run is. It may be used concurrently.
type Progress interface {
	// Add counts n more.
	Add(n int)
	// Done ends the display; nothing may be added after it.
	Done()
}

// NewProgress shows progress on w: on a terminal a bar with the rate and the time left, elsewhere a line
// every five seconds. What names the work, unit what is counted. A total of zero means that it is not known.
func NewProgress(w io.Writer, what, unit string, total int) Progress {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return newBar(w, what, unit, total)
	}
	return &lines{w: w, what: what, total: total, began: time.Now(), printed: time.Now()}
}

// bar draws on a terminal.
type bar struct{ *progressbar.ProgressBar }

func newBar(w io.Writer, what, unit string, total int) bar {
	total = cmp.Or(total, -1)
	return bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(unit),
		progressbar.OptionSetPredictTime(total > 0),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func (b bar) Add(n int) { b.ProgressBar.Add(n) }
func (b bar) Done()     { b.Finish() }

// lineEvery is the time between two lines.
const lineEvery = 5 * time.Second

// lines prints a line now and then.
type lines struct {
	w     io.Writer
	what  string
	total int
	began time.Time

	mu      sync.Mutex // guards what follows, and the order of lines
	n       int
	printed time.Time
}

func (l *lines) Add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += n
	if time.Since(l.printed) < lineEvery {
		return
	}
	l.printed = time.Now()
	rate := PerSecond(l.n, time.Since(l.began))
	if l.total == 0 || rate == 0 {
		fmt.Fprintf(l.w, "%s: %s (%s/s)\n", l.what, Grouped(l.n), Grouped(rate))
		return
	}
	left := time.Duration((l.total-l.n)/rate) * time.Second
	fmt.Fprintf(l.w, "%s: %s of %s (%s/s, %s left)\n", l.what, Grouped(l.n), Grouped(l.total), Grouped(rate),
		left)
}

func (l *lines) Done() {}

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
