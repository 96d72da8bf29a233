package local

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// commandGrace is how long a command may take to end after it was asked to.
const commandGrace = 5 * time.Second

// Command is a program that is run beside the stack, in the foreground.
type Command struct {
	Args           []string
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the command and answers its exit status, 128 and the signal's number
// where a signal ended it, as shells do. When ctx ends the command is asked to end,
// then killed; it ends with this process in any case. An error means that it could
// not be run.
func (c Command) Run(ctx context.Context) (status int, err error) {
	runtime.LockOSThread() // the kernel watches the thread that starts the child
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, c.Stdin, c.Stdout, c.Stderr
	cmd.SysProcAttr = diesWithParent()
	cmd.SysProcAttr.Setpgid = false // it shares the terminal
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = commandGrace
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		if signal, ok := exit.Sys().(syscall.WaitStatus); ok && signal.Signaled() {
			return 128 + int(signal.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}
