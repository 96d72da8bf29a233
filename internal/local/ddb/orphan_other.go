//go:build !linux

package ddblocal

import "syscall"

// endWithParent returns nil: only Linux can end a child with its parent. Elsewhere Stop, Main and
// Ctrl-C end the server. It keeps running only if this process is killed with SIGKILL.
func endWithParent() *syscall.SysProcAttr { return nil }
