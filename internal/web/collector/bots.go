package collector

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed bots.txt
var botsText string

// botStart is how many bytes of a text of a bot find it in the list: its shortest text has as many.
const botStart = 3

// botList are the texts of the list: those that may be anywhere in a user agent, by their first bytes, and
// those that are its beginning.
type botList struct {
	within map[string][]string
	begins []string
}

// bots parses the list once, at the first use.
var bots = sync.OnceValue(func() botList {
	l := botList{within: map[string][]string{}}
	for line := range strings.Lines(botsText) {
		text := strings.TrimSuffix(line, "\n")
		beginning, begins := strings.CutPrefix(text, "^")
		switch {
		case strings.HasPrefix(text, "#"):
		case begins:
			l.begins = append(l.begins, beginning)
		default:
			l.within[text[:botStart]] = append(l.within[text[:botStart]], text)
		}
	}
	return l
})

// isListedBot reports whether the list has a text of a user agent.
func isListedBot(userAgent string) bool {
	for _, text := range bots().begins {
		if strings.HasPrefix(userAgent, text) {
			return true
		}
	}
	for i := range max(0, len(userAgent)-botStart+1) {
		for _, text := range bots().within[userAgent[i:i+botStart]] {
			if strings.HasPrefix(userAgent[i:], text) {
				return true
			}
		}
	}
	return false
}
