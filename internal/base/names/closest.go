package names

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Closest returns the word that is most similar to what was typed, or that begins with its three letters or
// more; "" if there is none. Case does not count.
func Closest(typed string, words []string) string {
	best, least := "", 1+len(typed)/3
	for _, w := range words {
		if len(typed) > 2 && len(w) > len(typed) && strings.EqualFold(w[:len(typed)], typed) {
			best = w
		}
	}
	for _, w := range words {
		if d := levenshtein.ComputeDistance(strings.ToLower(typed), strings.ToLower(w)); d <= least {
			best, least = w, d-1
		}
	}
	return best
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
