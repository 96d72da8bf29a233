package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// failureFile is the laptop's on-failure queue: a message a line, to which a running
// stack appends. What is worked on is moved aside first, so that no line is lost that
// comes meanwhile; what is left of it is appended again.
type failureFile struct {
	path string
	look bool // hand out, change nothing

	aside *os.File // nil where there was nothing
	next  int      // number of the next line
	lines []message
	gone  map[string]bool // handles of those removed
}

func openFailureFile(path string, look bool) (*failureFile, error) {
	f := &failureFile{path: path, look: look, gone: map[string]bool{}}
	aside := path + ".redriving"
	if err := takeBack(aside, path); err != nil {
		return nil, fmt.Errorf("open the on-failure file: %w", err)
	}
	if look {
		return f, f.open(path)
	}
	if err := os.Rename(path, aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("open the on-failure file: %w", err)
	}
	return f, f.open(aside)
}

// takeBack adds what a run left aside that was killed to the file again.
func takeBack(aside, path string) error {
	left, err := os.ReadFile(aside)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = appendFile(path, left)
	}
	if err == nil {
		err = os.Remove(aside)
	}
	return err
}

func (f *failureFile) open(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the on-failure file: %w", err)
	}
	f.aside = file
	return nil
}

// receive reads what has not been read: a stack that had the file open when it was
// moved may still have added to it.
func (f *failureFile) receive(context.Context) ([]message, error) {
	if f.aside == nil {
		return nil, nil
	}
	text, err := io.ReadAll(f.aside)
	if err != nil {
		return nil, fmt.Errorf("read the on-failure file: %w", err)
	}
	var fresh []message
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		f.next++
		id := fmt.Sprintf("%s:%d", f.path, f.next)
		fresh = append(fresh, message{id: id, handle: id, body: line})
	}
	f.lines = append(f.lines, fresh...)
	return fresh, nil
}

func (f *failureFile) remove(_ context.Context, m message) error {
	f.gone[m.handle] = true
	return nil
}

// close appends what was not removed to the file again, and only then lets go of the
// one that was moved aside: a crash in between repeats a message, which is harmless.
func (f *failureFile) close() error {
	if f.aside == nil {
		return nil
	}
	defer f.aside.Close()
	if f.look {
		return nil
	}
	if _, err := f.receive(context.Background()); err != nil {
		return err
	}
	var left []byte
	for _, m := range f.lines {
		if !f.gone[m.handle] {
			left = append(append(left, m.body...), '\n')
		}
	}
	if len(left) > 0 {
		if err := appendFile(f.path, left); err != nil {
			return fmt.Errorf("keep what is not settled: %w", err)
		}
	}
	if err := os.Remove(f.aside.Name()); err != nil {
		return fmt.Errorf("let go of the on-failure file: %w", err)
	}
	return nil
}

func appendFile(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
