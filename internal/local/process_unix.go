//go:build unix && !linux

package local

import "syscall"

// diesWithParent gives the child a process group of its own. Where no kernel ends
// children with their parent, a function still ends: its Runtime API is gone, and it
// exits when its next request for work fails.
func diesWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
