package storage

// InvalidationPage is one page of the queue.
type InvalidationPage struct {
	Invalidations []Invalidation
	Next          string // "" on the last page
}
