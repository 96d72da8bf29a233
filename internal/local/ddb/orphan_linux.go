package ddblocal

import "syscall"

// endWithParent makes the kernel kill the child when this process ends, and gives the child its own
// process group, so that Ctrl-C reaches it only after this process has cleaned up.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
