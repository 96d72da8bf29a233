package ddblocal

import "syscall"

// endWithParent has the kernel kill the child when we die, however we die, and
// keeps the terminal's Ctrl-C from reaching it before we have tidied up.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
