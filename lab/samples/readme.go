package samples

import (
	"regexp"
	"strconv"
	"strings"
)

// expectation is what the README says about one sample.
type expectation struct {
	file        string // relative to events/
	status      int    // of an HTTP response; 0 for any other result
	fails       bool   // the function returns an error
	quarantined bool   // the table has quarantined items afterwards
}

var (
	link        = regexp.MustCompile(`\]\(([a-z-]+/[^)]+\.json)\)`)
	statusFirst = regexp.MustCompile(`^[1-5][0-9]{2}\b`)
)

// expectations reads the rows of the README's tables: the files are in the first cell, the
// result in the last.
func expectations(readme string) (all []expectation) {
	for line := range strings.Lines(readme) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		first, last := cells[0], strings.TrimSpace(cells[len(cells)-1])
		for _, found := range link.FindAllStringSubmatch(first, -1) {
			p := expectation{file: found[1], fails: strings.HasPrefix(last, "an error"),
				quarantined: strings.Contains(last, "quarantine")}
			p.status, _ = strconv.Atoi(statusFirst.FindString(last))
			all = append(all, p)
		}
	}
	return all
}
