package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress tells how far a long run is. It may be used concurrently.
type progress interface {
	add(n int)
	done()
}

// newProgress is a bar with rate and time left on a terminal, plain lines elsewhere;
// unit is what is counted. A total of zero means that it is not known.
func newProgress(w io.Writer, what, unit string, total int) progress {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return newBar(w, what, unit, total)
	}
	return &lines{w: w, what: what, total: total, began: time.Now(), told: time.Now()}
}

// bar draws on a terminal.
type bar struct{ *progressbar.ProgressBar }

func newBar(w io.Writer, what, unit string, total int) bar {
	if total == 0 {
		total = -1
	}
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

func (b bar) add(n int) { b.Add(n) }
func (b bar) done()     { b.Finish() }

// lineEvery is how often a plain line is told.
const lineEvery = 5 * time.Second

// lines are told where no terminal is.
type lines struct {
	w     io.Writer
	what  string
	total int
	began time.Time

	mu   sync.Mutex // guards what follows, and the order of lines
	n    int
	told time.Time
}

func (l *lines) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += n
	if time.Since(l.told) < lineEvery {
		return
	}
	l.told = time.Now()
	rate := perSecond(l.n, time.Since(l.began))
	if l.total == 0 || rate == 0 {
		fmt.Fprintf(l.w, "%s: %s (%s/s)\n", l.what, grouped(l.n), grouped(rate))
		return
	}
	left := time.Duration((l.total-l.n)/rate) * time.Second
	fmt.Fprintf(l.w, "%s: %s of %s (%s/s, %s left)\n", l.what, grouped(l.n), grouped(l.total), grouped(rate), left)
}

func (l *lines) done() {}
