package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The findings that parliament may have, and why.
var justifiedPolicies = map[string]string{
	"RESOURCE_MISMATCH: [{'action': 'dynamodb:ListStreams', 'required_format': '*'}]": "its data is older than the resource stream/* of the action, which CDK's grant has too",
}

// Actions, resources and conditions of each role are those that IAM knows, as far as parliament's data goes.
func TestTemplates_HaveNoFindingOfParliament(t *testing.T) {
	templates, err := filepath.Glob("testdata/*.template.json")
	if err != nil || len(templates) < 2 {
		t.Fatalf("templates %q, %v", templates, err)
	}
	output, err := exec.Command(pythonTool(t, "python"),
		append([]string{"../scripts/policies.py"}, templates...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	if last := len(lines) - 1; lines[last] != "14 policies" {
		t.Errorf("%s, want the policies of 14 roles", lines[last])
	}
	for _, line := range lines[:len(lines)-1] {
		if _, finding, _ := strings.Cut(line, ": "); justifiedPolicies[finding] == "" {
			t.Errorf("parliament: %s", line)
		}
	}
}
