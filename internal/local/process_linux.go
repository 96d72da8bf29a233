package local

import "syscall"

// diesWithParent has the kernel end the child when its parent ends, however it does.
// The child has a process group of its own, so that Ctrl-C reaches the parent alone
// and children are ended in order.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
