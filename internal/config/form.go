package config

import (
	"regexp"
	"sync"
)

// form is how a text has to look. It is compiled when it is first asked, since a
// function that starts asks few, and counts bytes itself: a pattern that counts takes
// long to compile.
type form struct {
	pattern func() *regexp.Regexp
	most    int // bytes
}

func formOf(pattern string, most int) form {
	return form{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) }), most}
}

// MatchString reports whether text has the form.
func (f form) MatchString(text string) bool {
	return len(text) <= f.most && f.pattern().MatchString(text)
}
