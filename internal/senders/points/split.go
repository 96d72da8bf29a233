package points

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Split divides an observation with more numbers than one may have: a host measures more at one time than a
// device. The numbers go in the order of their names into observations of streams that end in part=2, part=3
// and so on, so that points with the same names are divided alike. All other fields are in the first.
func Split(kind *catalog.Kind, o ingest.Observation, most int) []ingest.Observation {
	var identity, others, numbers []ingest.Field
	stream := -1
	for _, f := range o.Fields {
		switch {
		case f.Name == catalog.StreamField:
			stream = len(identity)
			fallthrough
		case f.Name == catalog.TimeField || f.Name == kind.Subject.Field || f.Name == catalog.IDField:
			identity = append(identity, f)
		case f.Form == ingest.NumberForm:
			numbers = append(numbers, f)
		default:
			others = append(others, f)
		}
	}
	if len(numbers) <= most || stream < 0 || o.DecodeError != nil {
		return []ingest.Observation{o}
	}
	slices.SortStableFunc(numbers, func(a, b ingest.Field) int { return cmp.Compare(a.Name, b.Name) })
	var parts []ingest.Observation
	for chunk := range slices.Chunk(numbers, most) {
		part := o
		part.Fields = slices.Concat(identity, others, chunk)
		if n := len(parts) + 1; n > 1 {
			part.Fields[stream].Text += ",part=" + strconv.Itoa(n)
			part.Dropped = nil // the first part has them: they are reported once
		}
		parts, others = append(parts, part), nil
	}
	return parts
}
