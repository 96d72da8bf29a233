package collector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/customprop"
	"github.com/tidemark-db/tidemark/internal/webfield"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// prop is a property of a custom event, its value as text.
type prop struct{ name, value string }

// revenue is the amount of a custom event.
type revenue struct {
	currency string
	amount   model.Decimal
}

// unquoted returns the JSON in a JSON string, or text itself. Some trackers send objects as strings.
func unquoted(text json.RawMessage) []byte {
	var inner string
	if json.Unmarshal(text, &inner) == nil {
		return []byte(inner)
	}
	return text
}

// parseProps returns the properties in the order of their names. null values are omitted.
func parseProps(text json.RawMessage) (all []prop, err error) {
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil, nil
	}
	values := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(unquoted(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		return nil, fmt.Errorf("%w: props must be an object: %w", ErrHit, err)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch v := values[name].(type) {
		case nil:
		case string, bool, json.Number:
			all = append(all, prop{name, fmt.Sprint(v)})
		default:
			return nil, fmt.Errorf("%w: props: %.64q must be a text, a number or a boolean", ErrHit, name)
		}
	}
	if limit := len(webfield.Props()); len(all) > limit {
		return nil, fmt.Errorf("%w: %d props, the limit is %d", ErrHit, len(all), limit)
	}
	return all, nil
}

// parseRevenue returns the amount, exactly as it was sent; nil if there is none.
func parseRevenue(text json.RawMessage) (*revenue, error) {
	if len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil, nil
	}
	var sent struct {
		Currency string
		Amount   json.RawMessage
	}
	if err := json.Unmarshal(unquoted(text), &sent); err != nil {
		return nil, fmt.Errorf("%w: revenue must be {\"currency\": \"EUR\", \"amount\": 9.95}: %w", ErrHit, err)
	}
	amount, err := model.ParseDecimal(string(unquoted(sent.Amount)))
	switch {
	case !currencyCode.MatchString(sent.Currency):
		return nil, fmt.Errorf("%w: revenue.currency must be three capitals as in ISO 4217, for example EUR", ErrHit)
	case err != nil:
		return nil, fmt.Errorf("%w: revenue.amount must be a number: %w", ErrHit, err)
	}
	return &revenue{currency: sent.Currency, amount: amount}, nil
}

// propAttrs returns the fields of the properties of a custom event.
func (h Hit) propAttrs() (all model.Attrs) {
	fields := webfield.Props()
	for i, p := range h.props {
		value := customprop.Prop{Event: h.Name, Name: p.name, Value: p.value}.String()
		all = append(all, text(fields[i], clean(value, MaxProp)))
	}
	return all
}
