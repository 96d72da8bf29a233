package stack

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// commandGrace is how long a command can take to end after SIGTERM.
const commandGrace = 5 * time.Second

// Command is a program that runs in the foreground while the stack runs.
type Command struct {
	Args           []string
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs the command and returns its exit status, or 128 plus the number of the signal that ended
// it, as shells do. When ctx ends, the command receives SIGTERM and later SIGKILL. It also ends
// with this process. An error means that the command could not be started.
func (c Command) Run(ctx context.Context) (status int, err error) {
	runtime.LockOSThread() // the kernel signals the child when the thread that started it ends
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env = c.Env
	cmd.Stdin = c.Stdin
	cmd.Stdout = c.Stdout
	cmd.Stderr = c.Stderr
	cmd.SysProcAttr = child(false) // it shares the terminal
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
