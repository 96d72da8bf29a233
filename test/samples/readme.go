package samples

import (
	"regexp"
	"strconv"
	"strings"
)

// promise is what the README says of one sample.
type promise struct {
	file    string // seen from events/
	status  int    // of an HTTP answer; 0 where it gives none
	fails   bool   // the function answers with an error
	setAway bool   // something of it is in quarantine afterwards
}

var (
	link        = regexp.MustCompile(`\]\(([a-z-]+/[^)]+\.json)\)`)
	statusFirst = regexp.MustCompile(`^[1-5][0-9]{2}\b`)
)

// promises reads the rows of the README's tables: files in the first cell, what comes of
// them in the last.
func promises(readme string) (all []promise) {
	for line := range strings.Lines(readme) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		first, last := cells[0], strings.TrimSpace(cells[len(cells)-1])
		for _, found := range link.FindAllStringSubmatch(first, -1) {
			p := promise{file: found[1], fails: strings.HasPrefix(last, "an error"),
				setAway: strings.Contains(last, "quarantine") || strings.Contains(last, "the rest kept")}
			p.status, _ = strconv.Atoi(statusFirst.FindString(last))
			all = append(all, p)
		}
	}
	return all
}
