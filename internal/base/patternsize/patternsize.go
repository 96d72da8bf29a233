// Package patternsize bounds regular expressions of other people before they are compiled: some bytes can be
// millions of instructions.
package patternsize

import (
	"regexp"
	"strconv"
)

// Max is how many instructions the counted repetitions of regular expressions of one request may have.
const Max = 100_000

// counted is a counted repetition in a regular expression.
var counted = regexp.MustCompile(`\{(\d+)(?:,(\d*))?\}`)

// Repeated returns an upper bound of the instructions of the counted repetitions of a regular expression,
// such as [0-9]{4}.
func Repeated(pattern string) (instructions int) {
	for _, found := range counted.FindAllStringSubmatch(pattern, -1) {
		least, _ := strconv.Atoi(found[1]) // package regexp refuses more than 1,000
		most, _ := strconv.Atoi(found[2])
		instructions += min(max(least, most), Max) * len(pattern)
	}
	return instructions
}
