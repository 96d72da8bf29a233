package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Devices that exist are in an index that is declared later after a backfill, and then in its order.
func TestSubjectList_OfAnIndexOfSeveralFields(t *testing.T) {
	b := newBench(t)
	for _, device := range []string{
		"a accountId=acme floor:=-3", "b accountId=acme floor:=10", "c accountId=acme",
		"d accountId=acme floor:=9", "e accountId=other floor:=1", "f accountId=acme status=away floor:=2",
	} {
		b.expect(0, words("subject create devices/"+device), "")
	}
	path := filepath.Join(t.TempDir(), "tidemark.yaml")
	declared := "kinds: {READING: {subject: {profile: {indexes: {status: {}, " +
		"accountId: {index: gsi2, and: [status], sort: [floor], types: {floor: number}}}}}}}\n"
	if err := os.WriteFile(path, []byte(declared), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TIDEMARK_CONFIG", path)
	const active = "subject list devices accountId=acme status=active --output json"
	listed := func(flags string) (ids string) {
		var found struct{ Subjects []struct{ Subject string } }
		out := b.expect(0, words(active+" "+flags), "")
		if err := json.Unmarshal([]byte(out), &found); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		for _, s := range found.Subjects {
			ids += s.Subject
		}
		return ids
	}
	if got := listed(""); got != "" {
		t.Errorf("before the backfill: %s, want none", got)
	}
	b.expect(0, words("subject backfill devices"), "profiles: 6 added")
	b.expect(0, words("subject backfill devices"), "profiles: 0 added, 6 complete already")
	for flags, want := range map[string]string{
		"": "adb", "--descending": "bda", "--from 9": "db", "--to 9": "a", "--from -3 --to 10 --descending": "da",
	} {
		if got := listed(flags); got != want {
			t.Errorf("%s: %s, want %s", flags, got, want)
		}
	}
	for command, want := range map[string]string{
		"accountId=acme":                        "pass a value of status too: the index is by accountId and status",
		"accountId=acme status=active --from x": "floor sorts the index as a number",
	} {
		if status, out := b.tidemark(words("subject list devices " + command)...); status != 3 ||
			!strings.Contains(out, want) {
			t.Errorf("%s: %d %s, want %s", command, status, out, want)
		}
	}
	for _, command := range []string{
		"accountId", "accountId=", "=acme", "status=a status=b", "status=a --deleted",
		"--deleted --descending", "--deleted --to x", "--from x", "",
	} {
		b.expect(2, words("subject list devices "+command), "for example status=active")
	}
}
