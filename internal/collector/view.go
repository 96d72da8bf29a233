package collector

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// View is the body of a request: one page view.
type View struct {
	URL      string `json:"url"`      // of the page, absolute or only its path
	Referrer string `json:"referrer"` // URL of the previous page; "" if there is none
	Duration int64  `json:"duration"` // milliseconds; 0 if unknown
}

// Request describes the sender of a view. It is not stored: only a pseudonym and the class of
// the device are.
type Request struct {
	Site      string
	Address   string
	UserAgent string
	Country   string // "" if unknown
}

// ErrView is returned for a body that is not a page view.
var ErrView = errors.New("not a page view")

// ParseView decodes a view. It ignores unknown fields, so that newer scripts can send more.
func ParseView(body []byte) (View, error) {
	var v View
	if err := json.Unmarshal(body, &v); err != nil {
		return View{}, fmt.Errorf("%w: send {\"url\": …, \"referrer\": …}: %v", ErrView, err)
	}
	if _, err := url.Parse(v.URL); err != nil || v.URL == "" {
		return View{}, fmt.Errorf("%w: url must be the page's address", ErrView)
	}
	if v.Duration < 0 || v.Duration > maxDuration {
		return View{}, fmt.Errorf("%w: duration must be milliseconds within a day", ErrView)
	}
	return v, nil
}

// Attrs returns the fields of the view's event. The path is stored without the query, which may
// contain anything.
func (v View) Attrs(r Request, secret []byte) model.Attrs {
	page, err := url.Parse(v.URL)
	if err != nil { // impossible after ParseView
		page = &url.URL{}
	}
	host := r.Site
	if page.Host != "" {
		host = page.Hostname()
	}
	attrs := model.Attrs{
		text(web.FieldPath, clean(pathOf(page))),
		text(web.FieldVisitor, Visitor(secret, r.Site, r.Address, r.UserAgent)),
		text(web.FieldDevice, DeviceOf(r.UserAgent)),
	}
	if from := clean(Referrer(host, v.Referrer)); from != "" {
		attrs = append(attrs, text(web.FieldReferrer, from))
	}
	if isCountry(r.Country) {
		attrs = append(attrs, text(web.FieldCountry, r.Country))
	}
	if v.Duration > 0 {
		attrs = append(attrs, model.Attr{Name: web.FieldDuration, Value: model.NumberValue(model.DecimalOf(v.Duration))})
	}
	attrs.Sort()
	return attrs
}

// Stream returns web.BotStream for bots and "" for people, so that their views and visitors
// are counted separately.
func (r Request) Stream() string {
	if DeviceOf(r.UserAgent) == DeviceBot {
		return web.BotStream
	}
	return ""
}

// maxDuration is the longest duration of a view, in milliseconds: a day.
const maxDuration = int64(24 * time.Hour / time.Millisecond)

func pathOf(page *url.URL) string {
	if page.Path == "" {
		return "/"
	}
	return page.EscapedPath()
}

// clean removes invalid UTF-8 and control characters, and truncates to the length of a value of
// a dimension.
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

// isCountry reports whether s has the form of an ISO 3166 code. Anybody can send the header, so
// other values are dropped.
func isCountry(s string) bool {
	return len(s) == 2 && 'A' <= s[0] && s[0] <= 'Z' && 'A' <= s[1] && s[1] <= 'Z'
}

func text(name, value string) model.Attr {
	return model.Attr{Name: name, Value: model.TextValue(value)}
}
