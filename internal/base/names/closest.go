package names

import (
	"math"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Closest returns the word that differs from what was typed in at most a third of its letters, begins with
// its three letters or more, or is short for it, as day for daily; "" if there is none. Case counts only
// between words that are equally close without it.
func Closest(typed string, words []string) string {
	best := ""
	for _, w := range words {
		if len(typed) > 2 && len(w) > len(typed) && strings.EqualFold(w[:len(typed)], typed) ||
			isShort(strings.ToLower(w), strings.ToLower(typed)) {
			best = w
		}
	}
	least, leastByCase := max(1, len(typed)/3), math.MaxInt
	for _, w := range words {
		d, byCase := distance(strings.ToLower(typed), strings.ToLower(w)), distance(typed, w)
		if d < least || d == least && byCase < leastByCase {
			best = w
			least, leastByCase = d, byCase
		}
	}
	return best
}

// distance returns in how many letters two words differ. Two neighbors that changed places count as one.
func distance(a, b string) int {
	d := levenshtein.ComputeDistance(a, b)
	for i := 1; i < len(a) && len(a) == len(b); i++ {
		if a[i-1] == b[i] && a[i] == b[i-1] && a[:i-1] == b[:i-1] && a[i+1:] == b[i+1:] {
			d = min(d, 1)
		}
	}
	return d
}

// isShort reports whether a word of three letters or more has letters of another one, in their order and from
// the first on: avg of average.
func isShort(word, long string) bool {
	if len(word) < 3 || len(long) <= len(word) || word[0] != long[0] {
		return false
	}
	for i := range len(long) {
		if word != "" && word[0] == long[i] {
			word = word[1:]
		}
	}
	return word == ""
}

// DidYouMean returns the closest word as the end of a message, "" if no word is similar.
func DidYouMean(typed string, words []string) string { return Meant(Closest(typed, words)) }

// Meant returns a word as the end of a message, "" for no word.
func Meant(word string) string {
	if word == "" {
		return ""
	}
	return " (did you mean " + word + "?)"
}
