// Package lists has what package slices lacks.
package lists

// Map returns f of each element, in their order.
func Map[T, U any](list []T, f func(T) U) []U {
	all := make([]U, len(list))
	for i, x := range list {
		all[i] = f(x)
	}
	return all
}

// Filter returns the elements that keep accepts, in their order; nil if it accepts none.
func Filter[T any](list []T, keep func(T) bool) (kept []T) {
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}
