// Package usage marks the errors that a user corrects by typing something else: a flag, an argument, an input
// file, the configuration. Commands end such an error with a separate exit status.
package usererr

import (
	"errors"
	"fmt"
)

// Error is an error in what the user typed.
type Error struct{ err error }

func (e *Error) Error() string { return e.err.Error() }

func (e *Error) Unwrap() error { return e.err }

// Errorf formats an Error, as fmt.Errorf does.
func Errorf(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// Is reports whether err is an Error or wraps one.
func Is(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
