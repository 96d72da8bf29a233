// Package size counts the lines of Go by what they are: product, programs that check it, tests, generated.
package size

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// Kinds of Go, in the order of the columns.
const (
	product   = iota // what is deployed, run by users, or imported by their programs
	checking         // programs that check, measure or build it
	tests            // files of tests, and sources that only tests read
	generated        // what a tool wrote
	kinds
)

// Command returns the program of make size.
func Command() *cobra.Command {
	return &cobra.Command{
		Use: "size", Args: cobra.NoArgs,
		Short: "Count all lines of Go by what they are, and by room",
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := tracked()
			if err != nil {
				return err
			}
			counts, err := count(os.DirFS("."), files)
			if err != nil {
				return err
			}
			return counts.print(cmd.OutOrStdout())
		},
	}
}

// tracked returns the Go files of the repository, in its root.
func tracked() ([]string, error) {
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files: %w; run it in the root of a checkout", err)
	}
	return strings.Fields(string(out)), nil
}

// counts are the lines of each kind, by place.
type counts map[string]*[kinds]int

func count(root fs.FS, files []string) (counts, error) {
	all := counts{}
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is deleted, and not yet committed
		}
		if err != nil {
			return nil, err
		}
		at := place(file)
		if all[at] == nil {
			all[at] = new([kinds]int)
		}
		all[at][kind(file, text)] += bytes.Count(text, []byte("\n"))
	}
	if len(all) == 0 {
		return nil, errors.New("no Go file is here: run it in the root of a checkout")
	}
	return all, nil
}

// place returns the folder that a file is counted under: a room of internal, or a folder of the root.
func place(file string) string {
	parts := strings.Split(file, "/")
	switch {
	case len(parts) == 1:
		return "."
	case len(parts) > 2 && (parts[0] == "internal" || parts[0] == "cmd"):
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// checkers are the folders of programs that check, measure or build.
var checkers = regexp.MustCompile(`^(lab|bench|test|scripts|cmd/tidemark-lab)/`)

var generatedBy = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func kind(file string, text []byte) int {
	switch {
	case generatedBy.Match(text):
		return generated
	case strings.HasSuffix(file, "_test.go") || strings.Contains("/"+file, "/testdata/"):
		return tests
	case checkers.MatchString(file):
		return checking
	}
	return product
}

func (c counts) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "lines of Go\tproduct\tprograms for checking\ttests\tgenerated\tall\t")
	var sum [kinds]int
	for _, at := range slices.Sorted(maps.Keys(c)) {
		row(out, at, *c[at])
		for k, n := range c[at] {
			sum[k] += n
		}
	}
	row(out, "all", sum)
	return out.Flush()
}

func row(w io.Writer, at string, n [kinds]int) {
	all := 0
	for _, lines := range n {
		all += lines
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t\n", at, n[product], n[checking], n[tests], n[generated], all)
}
