package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// provenSections are the sections of SECURITY whose statements have tests.
var provenSections = []string{"Permissions", "Data protection", "What a sender cannot do"}

var (
	tableHead = regexp.MustCompile(`^\|? ?(?:who \| authenticated by|attempt \| result)`)
	blockEnd  = regexp.MustCompile(`\n\n|\n(?:\||- )`)
	provenBy  = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz)[A-Za-z_0-9]+)`")
)

// provenBlocks returns the paragraphs and rows of tables and lists of the proven sections, each in a line.
func provenBlocks(t *testing.T, page string) (all []string) {
	t.Helper()
	for _, section := range provenSections {
		_, text, found := strings.Cut(page, "\n## "+section+"\n")
		if !found {
			t.Errorf("the page has no section %s", section)
		}
		text, _, _ = strings.Cut(text, "\n## ")
		for _, block := range blockEnd.Split("\n"+text, -1) {
			block = strings.Join(strings.Fields(block), " ")
			switch {
			case strings.HasPrefix(block, "---|"), block == "":
				continue
			case tableHead.MatchString(block):
				continue
			}
			all = append(all, block)
		}
	}
	return all
}

// Each statement of SECURITY has a test that exists, or a probe of a live deployment; and each paragraph and
// row of the page has such a statement.
func TestSecurity_EachStatementHasATest(t *testing.T) {
	t.Parallel()
	blocks := provenBlocks(t, read(t, "docs/run/SECURITY.md"))
	if len(blocks) < 30 {
		t.Fatalf("%d paragraphs and rows, want the whole page", len(blocks))
	}
	proven := make([]bool, len(blocks))
	probes := read(t, "docs/run/LIVE-CHECK.md")
	for _, line := range strings.Split(read(t, "docs/run/PROOFS.md"), "\n") {
		statement, tests, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !ok || !strings.HasPrefix(line, "| ") || statement == "statement" {
			continue
		}
		statement = strings.ReplaceAll(statement, "\\|", "|")
		found := false
		for i, block := range blocks {
			if strings.Contains(block, statement) {
				found, proven[i] = true, true
			}
		}
		if !found {
			t.Errorf("SECURITY does not say %q", statement)
		}
		checkProof(t, statement, tests, probes)
	}
	for i, block := range blocks {
		if !proven[i] {
			t.Errorf("PROOFS has no statement of %.150q", block)
		}
	}
}

// defines reports whether a file of a package has a test or fuzzer of this name.
func defines(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+name+"(")
	})
}

// checkProof reports a proof that names no test, one that does not exist, or a probe that does not.
func checkProof(t *testing.T, statement, proof, probes string) {
	t.Helper()
	tests := provenBy.FindAllStringSubmatch(proof, -1)
	for _, test := range tests {
		if !defines(t, test[1], test[2]) {
			t.Errorf("%s: package %s has no %s", statement, test[1], test[2])
		}
	}
	for _, probe := range regexp.MustCompile(`\[([a-z-]+)\]`).FindAllStringSubmatch(proof, -1) {
		if !strings.Contains(probes, "\n| "+probe[1]+" |") {
			t.Errorf("%s: there is no probe %s", statement, probe[1])
		}
	}
	if len(tests) == 0 && !strings.Contains(proof, "what you grant") {
		t.Errorf("%s: no test", statement)
	}
}
