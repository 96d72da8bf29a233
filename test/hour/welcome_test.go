package hour

import (
	"bytes"
	"strings"
	"sync"
)

// welcome collects the output of dev, and closes seen when its welcome is complete.
type welcome struct {
	mu   sync.Mutex
	all  bytes.Buffer // guarded by mu
	done bool         // guarded by mu
	seen chan struct{}
}

func (w *welcome) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(p)
	if !w.done && strings.Contains(w.all.String(), "describes every route.\n\n") {
		w.done = true
		close(w.seen)
	}
	return len(p), nil
}

func (w *welcome) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}
