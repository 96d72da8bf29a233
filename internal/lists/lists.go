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
