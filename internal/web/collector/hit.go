package collector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Hit is the body of a request: a page view, a custom event, or the time that a visitor has
// spent on a page. It is a superset of the events that Plausible's trackers send.
type Hit struct {
	Name     string          // of a custom event; "" and pageview are a page view
	URL      string          // of the page, absolute or only its path
	Domain   string          // the site; only read without a site key
	Referrer string          // URL of the previous page; "" if there is none
	Props    json.RawMessage // an object of texts, numbers and booleans, or its JSON as a string
	Revenue  json.RawMessage // {"currency": "EUR", "amount": 9.95}, or its JSON as a string
	Duration int64           // milliseconds; 0 if unknown
	Depth    int64           // percent of the page's height, scrolled to for the first time
	Reached  known           // percent of the page's height, scrolled to so far
	Width    int64           // of the window in CSS pixels; 0 if unknown
	Hash     json.RawMessage // true or 1: the part of the address behind # is part of the path
	Own      bool            // the visitor has excluded the own browser

	// ID identifies the hit, so that it counts once if it is sent again. It needs the time of
	// the hit and the time at which it was sent, both by the browser's clock, in milliseconds.
	ID   string
	At   int64
	Sent int64

	// Dropped are the parts that are not stored as they were sent.
	Dropped []model.FieldError

	props   []prop
	revenue *revenue
}

// members returns where each member of a body belongs, as all versions of Plausible's trackers, its server
// and the own script name them. Of several names of one part, the first with a value counts.
func (h *Hit) members() []member {
	return []member{
		{(*label)(&h.Name), []string{"name", "n"}}, {&h.URL, []string{"url", "u"}},
		{&h.Domain, []string{"domain", "d"}}, {&h.Referrer, []string{"referrer", "r"}},
		{&h.Props, []string{"m", "meta", "props", "p"}},
		{&h.Revenue, []string{"revenue", "$"}}, {(*whole)(&h.Duration), []string{"duration", "e"}},
		{(*whole)(&h.Depth), []string{"depth"}}, {&h.Reached, []string{"sd"}},
		{(*whole)(&h.Width), []string{"width", "screen_width", "w"}}, {&h.Own, []string{"own"}},
		{&h.Hash, []string{"hash", "h", "hashmode"}}, {&h.ID, []string{"id"}},
		{&h.At, []string{"at"}}, {&h.Sent, []string{"sent"}},
	}
}

// member is a part of a hit, and its names in bodies.
type member struct {
	to    any
	names []string
}

// The names with a meaning of their own.
const (
	nameView       = "pageview"
	nameEngagement = "engagement"
)

// The longest texts that are stored, in bytes. They bound the size of a row.
const (
	MaxName     = 120 // of a custom event
	MaxProp     = 128 // a property with its name and its event's name
	MaxCampaign = 48  // a field of a campaign, or a source
)

// The limits of a hit.
const (
	maxDuration = int64(24 * time.Hour / time.Millisecond)
	maxID       = 64
)

// ErrHit is returned for a body that is neither a page view nor another event.
var ErrHit = errors.New("not an event of a page")

var validID = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)

// ParseHit decodes a hit. It ignores unknown fields, so that newer scripts can send more. The
// error wraps ErrHit and names the field.
func ParseHit(body []byte) (Hit, error) {
	var h Hit
	if err := h.decode(body); err != nil {
		return Hit{}, fmt.Errorf("%w: send {\"url\": …, \"referrer\": …}: %w", ErrHit, err)
	}
	return h, h.check()
}

// decode decodes the members of a body. One of another type than its own, or that is there with two values,
// is dropped, unless the hit is another one without it.
func (h *Hit) decode(body []byte) error {
	values, err := h.split(body)
	if err != nil {
		return err
	}
	for _, m := range h.members() {
		for _, name := range slices.Backward(m.names) {
			value, sent := values[name]
			if !sent || saysNothing(name, string(value)) {
				continue
			}
			wrong := new(json.UnmarshalTypeError)
			switch err := json.Unmarshal(value, m.to); {
			case errors.As(err, &wrong) && isOptional(name):
				h.drop(name, "is "+wrong.Value+", which is another type")
			case errors.As(err, &wrong):
				return fmt.Errorf("%s is a %s, which is another type", name, wrong.Value)
			case err != nil:
				return err
			}
		}
	}
	return nil
}

// empty are the values that say as much as none.
var empty = []string{"null", `""`}

// hollow are the values that optional members have in place of none: trackers send {} for an event without an
// amount, and PHP has [] for properties without any.
var hollow = []string{"{}", "[]", `"{}"`, `"[]"`}

func saysNothing(member, value string) bool {
	return slices.Contains(empty, value) || isOptional(member) && slices.Contains(hollow, value)
}

func isOptional(member string) bool { return !slices.Contains(needed, member) }

// split returns the members of a body by their names in lower case.
func (h *Hit) split(body []byte) (map[string]json.RawMessage, error) {
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	var sent map[string]json.RawMessage
	wrong := new(json.UnmarshalTypeError)
	if err := json.Unmarshal(body, &sent); errors.As(err, &wrong) {
		return nil, fmt.Errorf("it is a JSON %s", wrong.Value)
	} else if err != nil {
		return nil, err
	}
	for _, part := range ingest.DecodeObject(body).Dropped {
		switch {
		case part.Code != ingest.CodeDuplicateName:
		case slices.Contains(needed, part.Field):
			return nil, errors.New(part.Error())
		default:
			h.drop(part.Field, part.Message)
			delete(sent, part.Field)
		}
	}
	values := make(map[string]json.RawMessage, len(sent))
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		values[strings.ToLower(name)] = sent[name]
	}
	return values, nil
}

// needed are the members without which a hit would be another one.
var needed = []string{"name", "n", "url", "u", "domain", "d", "id", "at", "sent"}

// dataAddress is the address of a document that is its own address.
var dataAddress = regexp.MustCompile(`(?i)^\s*data:`)

// check returns the error of a hit that cannot be stored, and drops what cannot be stored of others.
func (h *Hit) check() error {
	if err := h.refusal(); err != nil {
		return err
	}
	h.dropNumbers()
	h.Name = h.cut("name", h.Name, MaxName) // properties are stored with it
	if h.Name != nameEngagement {           // which repeats the properties of its page view
		h.props = h.parseProps(h.Props)
		h.dropLongProps()
	}
	h.noteCuts()
	if h.revenue = h.parseRevenue(h.Revenue); h.revenue != nil && h.IsView() {
		h.drop("revenue", "is of a page view: amounts of custom events are stored")
		h.revenue = nil
	}
	return nil
}

// refusal returns why the whole hit is refused; nil if it is not.
func (h *Hit) refusal() error {
	switch {
	case h.URL == "":
		return fmt.Errorf("%w: url must be the page's address", ErrHit)
	case dataAddress.MatchString(h.URL):
		return fmt.Errorf("%w: url is a document that was opened from a data: address, and is of no site", ErrHit)
	case h.Name != "" && strings.TrimSpace(clean(h.Name, len(h.Name))) == "":
		return fmt.Errorf("%w: name must be a text that people can read", ErrHit)
	case len(h.ID) > maxID || !validID.MatchString(h.ID):
		return fmt.Errorf("%w: id must be up to %d letters, digits, '.', '_' or '-'", ErrHit, maxID)
	case h.ID != "" && (h.At <= 0 || h.Sent <= 0):
		return fmt.Errorf("%w: an event with an id needs at and sent, in milliseconds since 1970", ErrHit)
	}
	return nil
}

// dropNumbers drops the numbers that no browser measures.
func (h *Hit) dropNumbers() {
	if h.Duration < 0 || h.Duration > maxDuration {
		h.drop("duration", "must be milliseconds within a day")
		h.Duration = 0
	}
	if h.Depth < 0 || h.Depth > 100 {
		h.drop("depth", "must be a percentage")
		h.Depth = 0
	}
	if h.Reached.n < 0 {
		h.drop("sd", "must be a percentage")
		h.Reached = known{}
	}
	h.Reached.n = min(h.Reached.n, 100) // a page that has become shorter was read to its end
}

// cut returns a text as it is stored, and notes if that is its beginning.
func (h *Hit) cut(field, text string, longest int) string {
	whole := clean(text, len(text))
	if len(whole) > longest {
		h.drop(field, fmt.Sprintf("has %d bytes: the first %d are stored", len(whole), longest))
	}
	return clean(whole, longest)
}

// noteCuts names the parts of the page's address of which only the beginning is stored.
func (h *Hit) noteCuts() {
	page := cutAddress(h.URL)
	h.cut("path", h.path(page), rollup.MaxDimensionValue)
	if query := page.values(); h.IsView() {
		for _, field := range webfield.Campaign() {
			h.cut(field, query.Get(field), MaxCampaign)
		}
	}
}

// drop notes a part that is not stored as it was sent. The rest of the hit is.
func (h *Hit) drop(field, why string) {
	h.Dropped = append(h.Dropped, model.FieldError{Field: field, Code: codeDropped, Message: why})
}

const codeDropped = "not-stored"

// hashed reports whether the address behind # is part of the path, as pages with hash routing declare.
func (h Hit) hashed() bool { return slices.Contains([]string{"true", "1"}, string(unquoted(h.Hash))) }

// IsView reports whether the hit is a page view.
func (h Hit) IsView() bool { return h.Name == "" || h.Name == nameView }

const (
	// clockGrid rounds the error of a browser's clock. Clocks that are right to half of it are
	// believed to the millisecond, so that a hit that is sent again has the same time.
	clockGrid = 5 * time.Minute
	// maxAge is the longest time for which a browser may keep a hit before it sends it.
	maxAge = 24 * time.Hour
)

// Time returns when the hit happened, by a browser's clock that is corrected where it is
// wrong. A hit without an id happened when it arrived.
func (h Hit) Time(arrived model.Time) model.Time {
	if age := h.Sent - h.At; h.ID == "" || age < 0 || age > maxAge.Milliseconds() {
		return arrived
	}
	wrong := time.Duration(int64(arrived)-h.Sent) * time.Millisecond
	return model.Time(h.At + wrong.Round(clockGrid).Milliseconds())
}
