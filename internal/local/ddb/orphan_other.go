//go:build !linux

package ddblocal

import "syscall"

// endWithParent asks for nothing: only Linux ties a child's life to its parent's.
// Elsewhere Stop and Main end the server, and Ctrl-C reaches it by the terminal; it
// is left behind only when this program is killed outright.
func endWithParent() *syscall.SysProcAttr { return nil }
