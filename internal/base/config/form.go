package config

import (
	"regexp"
	"sync"
)

// form is a pattern and a maximum length of a text. It is compiled at first use, because a
// function that starts needs few of them. The length is not part of the pattern, because
// repetition counts take long to compile.
type form struct {
	pattern func() *regexp.Regexp
	most    int // bytes
}

func newForm(pattern string, most int) form {
	return form{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) }), most}
}

// MatchString reports whether text has the form.
func (f form) MatchString(text string) bool {
	return len(text) <= f.most && f.pattern().MatchString(text)
}
