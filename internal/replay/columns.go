package replay

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// ColumnMap says which column of a CSV file becomes which field, in the given order.
type ColumnMap []column

type column struct {
	field  string // in an observation
	header string // in the file

	whole    bool // the cell is a JSON object with all fields but the identity
	optional bool // an empty cell means that the field is in another column
}

// shortNames maps the names that users write for the fields that every kind has to the
// names of these fields.
func shortNames(k *catalog.Kind) map[string]string {
	return map[string]string{
		"subject": k.Subject.Field, "stream": catalog.StreamField,
		"time": catalog.TimeField, "id": catalog.IDField,
	}
}

// ParseColumns reads a map such as subject=device,time=ts,value=value. Its errors are
// usage errors.
func ParseColumns(text string, k *catalog.Kind) (ColumnMap, error) {
	var columns ColumnMap
	for pair := range strings.SplitSeq(text, ",") {
		field, header, ok := strings.Cut(pair, "=")
		if field, header = strings.TrimSpace(field), strings.TrimSpace(header); !ok || field == "" || header == "" {
			return nil, usage.Errorf("%q: want field=column, for example subject=device,time=ts,value=value", pair)
		}
		if long, ok := shortNames(k)[field]; ok {
			field = long
		}
		if columns.has(field) {
			return nil, usage.Errorf("%s has two columns: give each field one", field)
		}
		columns = append(columns, column{field: field, header: header})
	}
	for _, required := range []string{"subject", "time"} {
		if !columns.has(shortNames(k)[required]) {
			return nil, usage.Errorf("no column for %s: every observation has a subject and a time; add %s=COLUMN", required, required)
		}
	}
	return columns, nil
}

func (c ColumnMap) has(field string) bool {
	return slices.ContainsFunc(c, func(x column) bool { return x.field == field })
}
