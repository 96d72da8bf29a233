package local

import "syscall"

// diesWithParent makes the kernel end the child when its parent ends. The child has its own process
// group, so that Ctrl-C reaches only the parent, which ends its children in order.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
