package stack

import (
	"bytes"
	"io"
	"sync"
)

// longestLine is the longest line that is written as a whole.
const longestLine = 256 << 10

// lastLine writes the output of a process in whole lines and keeps the last one for error messages.
type lastLine struct {
	next io.Writer // nil discards

	mu      sync.Mutex // guards the fields below, and the order of writes to next
	partial []byte
	last    []byte
}

// Write never fails: a log that cannot be written does not stop a function.
func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, p...)
	end := bytes.LastIndexByte(l.partial, '\n') + 1
	if len(l.partial) > longestLine {
		end = len(l.partial)
	}
	if end == 0 {
		return len(p), nil
	}
	whole := l.partial[:end]
	if l.next != nil {
		l.next.Write(whole)
	}
	trimmed := bytes.TrimRight(whole, "\n")
	l.last = append(l.last[:0], trimmed[bytes.LastIndexByte(trimmed, '\n')+1:]...)
	l.partial = append(l.partial[:0], l.partial[end:]...)
	return len(p), nil
}

// text returns the last line, complete or not.
func (l *lastLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.partial) > 0 {
		return string(l.partial)
	}
	return string(l.last)
}
