package main

import (
	"bytes"
	"strings"
	"testing"
)

// A stage that names a table is deployed only if the table has what a stack gives its own.
func TestDeploy_ChecksTheTableThatAStageNames(t *testing.T) {
	complete := map[string]string{
		"get-caller-identity": "111122223333", "StackStatus": "UPDATE_COMPLETE",
		"describe-table":              "NEW_AND_OLD_IMAGES\t2026-11-24T07:00:00.000\tTrue",
		"describe-time-to-live":       "expiresAt\tENABLED",
		"describe-continuous-backups": "ENABLED",
		"list-tags-of-resource":       "prod",
	}
	deploy := func(change, to string) (*machine, error) {
		c := settings()
		c.Stages[1].Table = "arn:aws:dynamodb:eu-central-1:111122223333:table/copy/stream/2026-11-24T07:00:00.000"
		m := &machine{output: map[string]string{}}
		for part, text := range complete {
			m.output[part] = text
		}
		if change != "" {
			m.output[change] = to
		}
		return m, run(c, []string{"deploy", "prod"}, options{yes: true, out: new(bytes.Buffer), command: m.command})
	}
	m, err := deploy("", "")
	if err != nil || len(m.changing()) != 3 {
		t.Errorf("a complete table: %v after %q", err, m.changing())
	}
	for _, c := range [][2]string{
		{"describe-table", "KEYS_ONLY\t2026-11-24T07:00:00.000\tTrue"},
		{"describe-table", "NEW_AND_OLD_IMAGES\t2026-11-25T00:00:00.000\tTrue"},
		{"describe-table", "NEW_AND_OLD_IMAGES\t2026-11-24T07:00:00.000\tFalse"},
		{"describe-table", "error not found"},
		{"describe-time-to-live", "None\tDISABLED"},
		{"describe-continuous-backups", "DISABLED"},
		{"list-tags-of-resource", "dev"},
	} {
		m, err := deploy(c[0], c[1])
		if err == nil || !strings.Contains(err.Error(), "table copy has") || !strings.Contains(err.Error(),
			"tidemark restore --restored --stage prod --table copy") || len(m.changing()) > 0 {
			t.Errorf("%s is %q: %v after %q, want a refusal before any change", c[0], c[1], err, m.changing())
		}
	}
}
