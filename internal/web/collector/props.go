package collector

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/webfield"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// prop is a property of an event, its value as text.
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

// parseProps returns the properties in the order of their names, as many as are stored. null values are
// omitted; lists and objects are kept as their JSON.
func (h *Hit) parseProps(sent json.RawMessage) (all []prop) {
	if len(sent) == 0 || bytes.Equal(sent, []byte("null")) {
		return nil
	}
	values := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(unquoted(sent)))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		h.drop("props", "must be an object")
		return nil
	}
	for _, sent := range slices.Sorted(maps.Keys(values)) {
		name := clean(sent, len(sent))
		isNamed := func(p prop) bool { return p.name == name }
		switch v := values[sent].(type) {
		case nil:
			continue
		case string, bool, json.Number:
			text := fmt.Sprint(v)
			all = append(all, prop{name: name, value: clean(text, len(text))})
		default:
			kept, _ := json.Marshal(v) // it was decoded
			all = append(all, prop{name: name, value: string(kept)})
		}
		if last := len(all) - 1; strings.TrimSpace(name) == "" || slices.ContainsFunc(all[:last], isNamed) {
			h.drop("props."+name, "has no name of its own")
			all = all[:last]
		}
	}
	if limit := len(webfield.Props()); len(all) > limit {
		for _, p := range all[limit:] {
			h.drop("props."+p.name,
				fmt.Sprintf("is beyond the limit of %d properties: the first names are stored", limit))
		}
		all = all[:limit]
	}
	return all
}

// dropLongProps names the properties of which only the beginning is stored, and drops those whose names leave
// no place for a value.
func (h *Hit) dropLongProps() {
	event := cmp.Or(h.Name, nameView)
	h.props = slices.DeleteFunc(h.props, func(p prop) bool {
		n := len(webfield.Prop{Event: event, Name: p.name, Value: p.value}.String())
		names := n - len(p.value)
		switch {
		case n <= MaxProp:
			return false
		case names >= MaxProp:
			h.drop("props."+p.name, fmt.Sprintf("has names of %d bytes: want less than %d", names, MaxProp))
			return true
		}
		h.drop("props."+p.name, fmt.Sprintf("has %d bytes with its names: the first %d are stored", n, MaxProp))
		return false
	})
}

// parseRevenue returns the amount, exactly as it was sent; nil if there is none.
func (h *Hit) parseRevenue(given json.RawMessage) *revenue {
	if len(given) == 0 || bytes.Equal(given, []byte("null")) {
		return nil
	}
	var sent struct {
		Currency string
		Amount   json.RawMessage
	}
	if err := json.Unmarshal(unquoted(given), &sent); err != nil {
		h.drop("revenue", `must be {"currency": "EUR", "amount": 9.95}`)
		return nil
	}
	currency := strings.ToUpper(strings.TrimSpace(sent.Currency))
	amount, err := parseAmount(strings.TrimSpace(string(unquoted(sent.Amount))))
	_, _, fits := amount.Scaled(0)
	switch {
	case !threeCapitals.MatchString(currency):
		h.drop("revenue.currency", "must be three letters as in ISO 4217, for example EUR")
	case err != nil:
		h.drop("revenue.amount", "must be a number such as 1322.22")
	case !fits:
		h.drop("revenue.amount", "is 10^15 or more, too large for exact sums")
	default:
		return &revenue{currency: currency, amount: amount}
	}
	return nil
}

// parseAmount returns a number, also one as people write it, if only one number can be meant.
func parseAmount(text string) (model.Decimal, error) {
	amount, err := model.ParseDecimal(text)
	if plain, ok := columns.Amount(text); err != nil && ok {
		return model.ParseDecimal(plain)
	}
	return amount, err
}

// propAttrs returns the fields of the properties of an event with a name.
func (h Hit) propAttrs(event string) (all model.Attrs) {
	fields := webfield.Props()
	for i, p := range h.props {
		value := webfield.Prop{Event: event, Name: p.name, Value: p.value}.String()
		all = append(all, text(fields[i], clean(value, MaxProp)))
	}
	return all
}
