package main

import (
	"strings"
	"testing"
)

func TestDump_AcceptsTheSubjectAsArgumentOrFlag(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1")
	b.append("b", "2026-11-02T10:00:00Z 2")
	byArgument := b.expect(0, words("dump devices/a"), "DEVICE#a  EVENT#READING#")
	byFlag := b.expect(0, words("dump --subject devices/a"))
	if byArgument != byFlag {
		t.Errorf("by argument\n%s\nby flag\n%s", byArgument, byFlag)
	}
	if strings.Contains(byArgument, "DEVICE#b") {
		t.Errorf("another subject is shown as well:\n%s", byArgument)
	}
	b.expect(0, words("dump"), "DEVICE#a", "DEVICE#b")
	b.expect(2, words("dump devices/a devices/b"), "tidemark dump --help")
	b.expect(2, words("dump nowhere/a"), "want devices/ID")
}
