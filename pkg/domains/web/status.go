package web

import (
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Answered is how many events had a status of a class, 4 being 400 to 499, by the
// status dimension of a rollup. It is exact where the dimension is.
func Answered(status rollup.Dimension, class int) (n int64, exact bool) {
	for _, v := range status.Values {
		if code, err := strconv.Atoi(v.Value); err == nil && code/100 == class {
			n += v.Count
		}
	}
	return n, status.Exact
}
