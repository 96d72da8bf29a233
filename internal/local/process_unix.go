//go:build unix && !linux

package local

import "syscall"

// diesWithParent gives the child its own process group. Without support of the kernel, a function
// ends after its parent because its next request to the Runtime API fails.
func diesWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
