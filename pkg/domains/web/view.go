package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// View is what a page sends of itself: where it is, what led there, and how long it
// was looked at.
type View struct {
	URL      string `json:"url"`      // of the page, whole or from its path on
	Referrer string `json:"referrer"` // whole; "" where nothing led there
	Duration int64  `json:"duration"` // milliseconds; 0 where it is not known yet
}

// Request is what a door knows of who sent a view. None of it is stored: of address
// and user agent only a visitor's name and a class are kept.
type Request struct {
	Site      string
	Address   string
	UserAgent string
	Country   string // "" where the door does not know
}

// ErrView says that a body is no view.
var ErrView = errors.New("not a page view")

// ParseView reads a view. Fields it does not know are ignored: an older door answers
// a newer script.
func ParseView(body []byte) (View, error) {
	var v View
	if err := json.Unmarshal(body, &v); err != nil {
		return View{}, fmt.Errorf("%w: send {\"url\": …, \"referrer\": …}: %v", ErrView, err)
	}
	if _, err := url.Parse(v.URL); err != nil || v.URL == "" {
		return View{}, fmt.Errorf("%w: url must be the page's address", ErrView)
	}
	if v.Duration < 0 || v.Duration > MaxDuration {
		return View{}, fmt.Errorf("%w: duration must be milliseconds within a day", ErrView)
	}
	return v, nil
}

// Attrs are the fields of the view's event. The path is kept without its query, which
// may hold anything.
func (v View) Attrs(r Request, salt []byte) model.Attrs {
	page, err := url.Parse(v.URL)
	if err != nil { // not one that ParseView made
		page = &url.URL{}
	}
	host := r.Site
	if page.Host != "" {
		host = page.Hostname()
	}
	attrs := model.Attrs{
		text(FieldPath, clean(pathOf(page))),
		text(FieldVisitor, Visitor(salt, r.Site, r.Address, r.UserAgent)),
		text(FieldDevice, DeviceOf(r.UserAgent)),
	}
	if from := clean(Referrer(host, v.Referrer)); from != "" {
		attrs = append(attrs, text(FieldReferrer, from))
	}
	if isCountry(r.Country) {
		attrs = append(attrs, text(FieldCountry, r.Country))
	}
	if v.Duration > 0 {
		attrs = append(attrs, model.Attr{Name: FieldDuration, Value: model.NumberValue(model.DecimalOf(v.Duration))})
	}
	attrs.Sort()
	return attrs
}

// Stream keeps programs apart from people: views of bots are a series of their own,
// with visitors of its own.
func (r Request) Stream() string {
	if DeviceOf(r.UserAgent) == DeviceBot {
		return BotStream
	}
	return ""
}

// BotStream is the stream of what programs looked at.
const BotStream = "bots"

func pathOf(page *url.URL) string {
	if page.Path == "" {
		return "/"
	}
	return page.EscapedPath()
}

// clean cuts a text to what a dimension counts, and leaves out what is no text.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	for len(s) > rollup.MaxDimensionValue {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

// isCountry reports whether s is two capitals, as ISO 3166 has them: a header that
// anybody may send makes up no other values.
func isCountry(s string) bool {
	return len(s) == 2 && 'A' <= s[0] && s[0] <= 'Z' && 'A' <= s[1] && s[1] <= 'Z'
}

func text(name, value string) model.Attr {
	return model.Attr{Name: name, Value: model.TextValue(value)}
}
