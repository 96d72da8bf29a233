package collector

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Hit is the body of a request: a page view, a custom event, or the time that a visitor has
// spent on a page. It is a superset of the events that Plausible's trackers send.
type Hit struct {
	Name     string          `json:"name"`     // of a custom event; "" and pageview are a page view
	URL      string          `json:"url"`      // of the page, absolute or only its path
	Domain   string          `json:"domain"`   // the site; only read without a site key
	Referrer string          `json:"referrer"` // URL of the previous page; "" if there is none
	Props    json.RawMessage `json:"props"`    // an object of texts, numbers and booleans, or its JSON as a string
	Revenue  json.RawMessage `json:"revenue"`  // {"currency": "EUR", "amount": 9.95}, or its JSON as a string
	Duration int64           `json:"-"`        // milliseconds; 0 if unknown
	Depth    int64           `json:"-"`        // percent of the page's height, scrolled to for the first time
	Reached  int64           `json:"-"`        // percent of the page's height, scrolled to so far
	Width    int             `json:"-"`        // of the window in CSS pixels; 0 if unknown
	Hash     json.RawMessage `json:"hash"`     // true or 1: the part of the address behind # is part of the path
	Own      bool            `json:"own"`      // the visitor has excluded the own browser

	// ID identifies the hit, so that it counts once if it is sent again. It needs the time of
	// the hit and the time at which it was sent, both by the browser's clock, in milliseconds.
	ID   string `json:"id"`
	At   int64  `json:"at"`
	Sent int64  `json:"sent"`

	// Dropped are the parts that are not stored as they were sent.
	Dropped []model.FieldError `json:"-"`

	props   []prop
	revenue *revenue
}

// short are the same fields as all versions of Plausible's trackers and its server name them, and the numbers.
type short struct {
	N, U, D, R             string
	P, M, Meta             json.RawMessage
	Revenue                json.RawMessage `json:"$"`
	E, SD                  whole
	Duration, Depth, Width whole
	H                      json.RawMessage
	HashMode               json.RawMessage
}

// whole is a whole number, also of one with decimals, or in a text.
type whole int64

// UnmarshalJSON implements json.Unmarshaler.
func (w *whole) UnmarshalJSON(sent []byte) error {
	text := string(unquoted(sent))
	n, err := strconv.ParseFloat(text, 64)
	if text == "null" {
		return nil
	}
	if err != nil || math.Abs(n) >= 1<<53 {
		return &json.UnmarshalTypeError{Value: "the value " + text, Type: reflect.TypeFor[whole]()}
	}
	*w = whole(math.Round(n))
	return nil
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
	var s short
	members, err := h.members(body)
	if err == nil {
		err = errors.Join(h.decode(members, &h), h.decode(members, &s))
	}
	if err != nil {
		return Hit{}, fmt.Errorf("%w: send {\"url\": …, \"referrer\": …}: %w", ErrHit, err)
	}
	h.Name, h.URL, h.Domain, h.Referrer = cmp.Or(h.Name, s.N), cmp.Or(h.URL, s.U), cmp.Or(h.Domain, s.D),
		cmp.Or(h.Referrer, s.R)
	h.Duration, h.Reached = int64(cmp.Or(s.Duration, s.E)), int64(s.SD)
	h.Depth, h.Width = int64(s.Depth), int(s.Width)
	h.Hash = firstRaw(h.Hash, s.H, s.HashMode)
	h.Props = firstRaw(s.M, s.Meta, h.Props, s.P)
	h.Revenue = firstRaw(h.Revenue, s.Revenue)
	return h, h.check()
}

// members returns the members of a body. One that is there with two values is dropped.
func (h *Hit) members(body []byte) (members map[string]json.RawMessage, err error) {
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	wrong := new(json.UnmarshalTypeError)
	if err := json.Unmarshal(body, &members); errors.As(err, &wrong) {
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
			delete(members, part.Field)
		}
	}
	return members, nil
}

// decode decodes the members of a body. Each of another type than its own is dropped, unless the hit is
// nothing without it.
func (h *Hit) decode(members map[string]json.RawMessage, to any) error {
	for {
		body, _ := json.Marshal(members) // they were decoded
		err := json.Unmarshal(body, to)
		wrong := new(json.UnmarshalTypeError)
		if !errors.As(err, &wrong) {
			return err
		}
		name := strings.ToLower(wrong.Field)
		if slices.Contains(needed, name) {
			return fmt.Errorf("%s is a %s, which is another type", name, wrong.Value)
		}
		h.drop(name, "is "+wrong.Value+", which is another type")
		maps.DeleteFunc(members, func(n string, _ json.RawMessage) bool { return strings.EqualFold(n, name) })
	}
}

// needed are the members without which a hit would be another one.
var needed = []string{"name", "n", "url", "u", "domain", "d", "id", "at", "sent"}

// firstRaw returns the first value that is there.
func firstRaw(all ...json.RawMessage) json.RawMessage {
	for _, v := range all {
		if len(v) > 0 && string(v) != "null" {
			return v
		}
	}
	return nil
}

func (h *Hit) check() error {
	switch {
	case h.URL == "":
		return fmt.Errorf("%w: url must be the page's address", ErrHit)
	case len(h.ID) > maxID || !validID.MatchString(h.ID):
		return fmt.Errorf("%w: id must be up to %d letters, digits, '.', '_' or '-'", ErrHit, maxID)
	case h.ID != "" && (h.At <= 0 || h.Sent <= 0):
		return fmt.Errorf("%w: an event with an id needs at and sent, in milliseconds since 1970", ErrHit)
	}
	if h.Duration < 0 || h.Duration > maxDuration {
		h.drop("duration", "must be milliseconds within a day")
		h.Duration = 0
	}
	if h.Depth < 0 || h.Depth > 100 {
		h.drop("depth", "must be a percentage")
		h.Depth = 0
	}
	if h.Reached < 0 || h.Reached > 100 {
		h.drop("sd", "must be a percentage")
		h.Reached = 0
	}
	if len(h.Name) > MaxName {
		h.drop("name", fmt.Sprintf("has %d bytes: the first %d are stored", len(h.Name), MaxName))
	}
	h.props = h.parseProps(h.Props)
	h.dropLongProps()
	h.revenue = h.parseRevenue(h.Revenue)
	return nil
}

// drop notes a part that is not stored as it was sent. The rest of the hit is.
func (h *Hit) drop(field, why string) {
	h.Dropped = append(h.Dropped, model.FieldError{Field: field, Code: codeDropped, Message: why})
}

const codeDropped = "not-stored"

// hashed reports whether the address behind # is part of the path, as pages with hash routing declare.
func (h Hit) hashed() bool { return string(h.Hash) == "true" || string(h.Hash) == "1" }

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
