package timeseries

import (
	"fmt"
	"strings"
)

// batchError joins the errors of a batch. Its text names the first few of them.
type batchError struct {
	values int
	errs   []error
}

// maxNamed is the number of values that the text of a batchError names.
const maxNamed = 3

// joined returns the error of all results; nil if each has an outcome.
func joined[T any](results []Result[T]) error {
	b := batchError{values: len(results)}
	for i := range results {
		if err := results[i].Err; err != nil {
			b.errs = append(b.errs, fmt.Errorf("value %d: %w", i, err))
		}
	}
	if len(b.errs) == 0 {
		return nil
	}
	return &b
}

// Error says how many values were not stored, and why the first ones were not.
func (b *batchError) Error() string {
	named := make([]string, 0, maxNamed+1)
	for _, err := range b.errs[:min(maxNamed, len(b.errs))] {
		named = append(named, err.Error())
	}
	if more := len(b.errs) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("append: no outcome for %d of %d values: %s", len(b.errs), b.values, strings.Join(named, "; "))
}

// Unwrap returns the error of each value.
func (b *batchError) Unwrap() []error { return b.errs }
