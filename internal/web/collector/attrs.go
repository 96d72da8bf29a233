package collector

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/webfield"

	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Request describes the sender of a hit. It is not stored: only a pseudonym and classes of the browser are.
type Request struct {
	Site      string
	Address   string
	UserAgent string
	Country   string // "" if unknown
	Region    string // of the country, without its code; "" if unknown
	Languages string // Accept-Language
}

// The codes of ISO 639 and 3166 that are stored. FindString returns "" for what is not a code.
var (
	languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)
	countryCode  = regexp.MustCompile(`^[A-Z]{2}$`)
	regionCode   = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`)
)

// Attrs returns the fields of the hit's event. The path is stored without the query, which may
// contain anything; only the parameters of campaigns are stored.
func (h Hit) Attrs(r Request, secret []byte) model.Attrs {
	page := cutAddress(h.URL)
	attrs := model.Attrs{
		text(webfield.Path, clean(h.path(page), rollup.MaxDimensionValue)),
		text(webfield.Visitor, Visitor(secret, r.Site, r.Address, r.UserAgent)),
	}
	if h.Duration > 0 {
		attrs = append(attrs, number(webfield.Duration, model.NewDecimal(h.Duration)))
	}
	if h.IsView() {
		attrs = append(attrs, h.viewAttrs(r, page)...)
	} else {
		attrs = append(attrs, h.customAttrs()...)
	}
	if h.IsView() || h.Name != nameEngagement {
		attrs = append(attrs, texts(webfield.Hostname, clean(page.host, maxHost))...)
	}
	attrs.Sort()
	return attrs
}

// viewAttrs returns the fields that only page views have.
func (h Hit) viewAttrs(r Request, page address) model.Attrs {
	host := r.Site
	if page.host != "" {
		host = page.host
	}
	from, query := Referrer(h.Referrer, host, r.Site), page.values()
	origin := FindOrigin(from, parseCampaign(query))
	browser, system := parseBrowser(r.UserAgent)
	attrs := texts(
		webfield.Device, ParseDevice(r.UserAgent), webfield.Browser, browser, webfield.OS, system,
		webfield.Screen, classifyScreen(h.Width), webfield.Language, parseLanguage(r.Languages),
		webfield.Country, countryCode.FindString(r.Country), webfield.Region,
		regionCode.FindString(r.Country+"-"+r.Region), webfield.Referrer, clean(from, rollup.MaxDimensionValue),
		webfield.Source, clean(origin.Source, MaxCampaign), webfield.Channel, origin.Channel,
	)
	for _, field := range webfield.Campaign() {
		attrs = append(attrs, texts(field, clean(query.Get(field), MaxCampaign))...)
	}
	return append(attrs, h.propAttrs(nameView)...)
}

// parseCampaign returns the campaign that the query of a page names. Some links name their source
// by other parameters.
func parseCampaign(query url.Values) Campaign {
	source := cmp.Or(query.Get("utm_source"), query.Get("source"), query.Get("ref"))
	c := Campaign{Source: clean(source, MaxCampaign), Medium: query.Get("utm_medium"),
		Name: query.Get("utm_campaign")}
	for _, name := range []string{"gclid", "msclkid"} {
		if query.Get(name) != "" {
			c.Click = name
		}
	}
	return c
}

// customAttrs returns the fields that only custom events have. The time spent on a page has no
// name, so that it is not counted as an event of the page.
func (h Hit) customAttrs() (attrs model.Attrs) {
	if h.Depth > 0 {
		attrs = append(attrs, number(webfield.Depth, model.NewDecimal(h.Depth)))
	}
	if h.Reached.sent {
		attrs = append(attrs, number(webfield.Reached, model.NewDecimal(int64(h.Reached.n))))
	}
	if h.Name == nameEngagement {
		return attrs
	}
	attrs = append(attrs, text(webfield.Name, clean(h.Name, MaxName)))
	if h.revenue != nil {
		attrs = append(attrs, number(webfield.RevenuePrefix+h.revenue.currency, h.revenue.amount))
	}
	return append(attrs, h.propAttrs(h.Name)...)
}

// path returns the path of the page, with its route behind # where the page has hash routing.
func (h Hit) path(page address) string {
	if h.hashed() && page.fragment != "" {
		return page.path + "#" + webfield.ShownSegment(page.fragment)
	}
	return page.path
}

// Stream returns web.BotStream for bots and "" for people, so that their views and visitors
// are counted separately.
func (r Request) Stream() string {
	if ParseDevice(r.UserAgent) == DeviceBot {
		return web.BotStream
	}
	return ""
}

// clean removes invalid UTF-8 and control characters, and truncates to a number of bytes.
func clean(s string, longest int) string {
	s = strings.ToValidUTF8(s, "")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	for len(s) > longest {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

func text(name, value string) model.Attr {
	return model.Attr{Name: name, Value: model.TextValue(value)}
}

// texts returns the fields that are not empty, of names that are followed by their value.
func texts(pairs ...string) (attrs model.Attrs) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			attrs = append(attrs, text(pairs[i], pairs[i+1]))
		}
	}
	return attrs
}

func number(name string, value model.Decimal) model.Attr {
	return model.Attr{Name: name, Value: model.NumberValue(value)}
}
