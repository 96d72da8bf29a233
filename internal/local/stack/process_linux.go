package stack

import "syscall"

// child returns the attributes of a child process. The kernel ends it when its parent ends. In its
// own process group Ctrl-C does not reach it: the parent ends its children in order.
func child(ownGroup bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: ownGroup, Pdeathsig: syscall.SIGKILL}
}
