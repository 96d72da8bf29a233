package stack

import "syscall"

// child returns no attributes: tidemark dev does not run on Windows.
func child(bool) *syscall.SysProcAttr { return nil }
