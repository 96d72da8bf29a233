package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

var commandRow = regexp.MustCompile("(?m)^\\| command \\| `tidemark ([^`]+)` \\|$")

// What the page of access patterns tells people to type does what it says: on an empty
// table each command ends in 0, or in 1 because nothing is there.
func TestAccessPatterns_NameCommandsThatWork(t *testing.T) {
	database := localDatabase(t)
	page, err := os.ReadFile("../../docs/ACCESS-PATTERNS.md")
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamo.NewClient(t.Context(), "local", database.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("patterns-%d", time.Now().UnixNano())
	if err := dynamo.New(client, name).Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := commandRow.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 20 {
		t.Fatalf("the page has %d commands", len(rows))
	}
	for _, row := range rows {
		if strings.HasPrefix(row[1], "replay") {
			continue // takes a file, and a front to send it to
		}
		args := append(shellWords(row[1]), "--endpoint", database.Endpoint, "--table", name, "--region", "local", "--config", "../../tidemark.yaml")
		var out, complaints bytes.Buffer
		if status := run(t.Context(), args, strings.NewReader(""), &out, &complaints); status > exitNo {
			t.Errorf("tidemark %s: ended in %d: %s", row[1], status, complaints.String())
		}
	}
}

// shellWords are a command line's, as a shell takes single quotes.
func shellWords(line string) (all []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}
