package web

import (
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// CountStatusClass returns the number of events whose status is of a class (4 means 400 to 499),
// from the status dimension of a rollup. exact is false if the dimension is not exact.
func CountStatusClass(status rollup.Dimension, class int) (n int64, exact bool) {
	for _, v := range status.Values {
		if code, err := strconv.Atoi(v.Value); err == nil && code/100 == class {
			n += v.Count
		}
	}
	return n, status.Exact
}
