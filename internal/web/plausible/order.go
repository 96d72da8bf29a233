package plausible

import (
	"cmp"
	"slices"
)

// sort sorts the rows: by default by time and then by the first metric, the highest first. A figure that is
// not known is behind all others in either order. Equal rows are in order of their values.
func (r *run) sort(rows []Row) {
	if len(r.OrderBy) == 0 {
		if r.time != "" {
			r.OrderBy = []ordering{{r.time, "asc"}}
		}
		r.OrderBy = append(r.OrderBy, ordering{r.Metrics[0], "desc"})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		for _, o := range r.OrderBy {
			x := a
			y := b
			c := 0
			if o[1] == "desc" {
				x, y = b, a
			}
			if i := slices.Index(r.Metrics, o[0]); i >= 0 {
				switch isUnknown := a.Metrics[i].Unknown; {
				case isUnknown == b.Metrics[i].Unknown:
					c = cmp.Compare(x.Metrics[i].Value, y.Metrics[i].Value)
				case isUnknown:
					return 1
				default:
					return -1
				}
			} else if d := slices.Index(r.Dimensions, o[0]); d >= 0 {
				c = cmp.Compare(x.Dimensions[d], y.Dimensions[d])
			}
			if c != 0 {
				return c
			}
		}
		return slices.Compare(a.Dimensions, b.Dimensions)
	})
}
