// Package clock is the clock of the programs of one tidemark dev: the machine's, moved by an offset that all
// of them read from one file. Without the file it is the machine's clock. Deployed functions have no such
// file.
package clock

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Env is the environment variable with the path of the file.
const Env = "TIDEMARK_CLOCK"

// Clock is the machine's clock, moved. The zero value is not moved. It is safe for concurrent use.
type Clock struct{ path string }

// At returns the clock whose offset is in a file; "" is the machine's clock.
func At(path string) Clock { return Clock{path} }

// FromEnv returns the clock that the environment names.
func FromEnv() Clock { return At(os.Getenv(Env)) }

// Path returns the path of the file; "" for the machine's clock.
func (c Clock) Path() string { return c.path }

// Now returns the moved time.
func (c Clock) Now() time.Time { return time.Now().Add(c.Offset()) }

// Offset returns by how much the clock is moved; 0 if the file does not exist or cannot be read.
func (c Clock) Offset() time.Duration {
	if c.path == "" {
		return 0
	}
	text, err := os.ReadFile(c.path)
	if err != nil {
		return 0
	}
	offset, _ := time.ParseDuration(strings.TrimSpace(string(text)))
	return offset
}

// farthest is how far the clock can be from the machine's: twice as much is in a time.Duration.
const farthest = 140 * 365 * 24 * time.Hour

var errFar = errors.New("want a time at most 140 years from now")

// Set moves the clock so that it is at this time now.
func (c Clock) Set(at time.Time) error { return c.write(time.Until(at)) }

// Reset makes the clock the machine's again.
func (c Clock) Reset() error { return c.write(0) }

// Move moves the clock by a duration, which must not be negative: what has been written would lie in the
// future.
func (c Clock) Move(by time.Duration) error {
	if by < 0 {
		return fmt.Errorf("the clock cannot be moved back by %s: start dev with --clock and --fresh", -by)
	}
	offset := c.Offset()
	if by > farthest-offset {
		return errFar
	}
	return c.write(offset + by)
}

// write replaces the file, so that a reader never sees a part of it.
func (c Clock) write(offset time.Duration) error {
	if offset.Abs() > farthest {
		return errFar
	}
	temporary := c.path + ".new"
	if err := os.WriteFile(temporary, []byte(offset.String()+"\n"), 0o644); err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	if err := os.Rename(temporary, c.path); err != nil {
		return fmt.Errorf("move the clock: %w", err)
	}
	return nil
}
