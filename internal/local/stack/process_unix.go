//go:build unix && !linux

package stack

import "syscall"

// child returns the attributes of a child process. Without support of the kernel, a function ends
// after its parent because its next request to the Runtime API fails.
func child(ownGroup bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: ownGroup} }
