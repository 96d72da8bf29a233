package main

import (
	"context"
	"errors"
	"fmt"
)

// The exit statuses, one meaning each.
const (
	exitDone   = 0
	exitNo     = 1 // the check ran, and it says no
	exitUsage  = 2 // asked wrongly: a flag, an argument, a configuration
	exitFailed = 3 // could not be done
)

// failure is an error with the exit status it ends in. Without a message it is
// silent: what there was to say has been said.
type failure struct {
	status  int
	message error
}

func (f *failure) Error() string {
	if f.message == nil {
		return fmt.Sprintf("exit status %d", f.status)
	}
	return f.message.Error()
}

func (f *failure) Unwrap() error { return f.message }

// usagef is a mistake of the person who asked; exit status 2.
func usagef(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

// checkFailed ends in exit status 1 without a message: the report was the message.
var checkFailed error = &failure{status: exitNo}

// exitStatus is the status err ends in; any error without one could not be done.
func exitStatus(err error) int {
	var f *failure
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &f):
		return f.status
	default:
		return exitFailed
	}
}

// describe is what to tell of err, or "".
func describe(err error) string {
	var f *failure
	switch {
	case err == nil, errors.As(err, &f) && f.message == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "stopped"
	default:
		return err.Error()
	}
}
