package storetest

// readWithFault reads, unless the policy lets it fail.
func readWithFault[R any](f *FaultyStore, method string, read func() (R, error)) (R, error) {
	f.mu.Lock()
	call := Call{Method: method, N: f.reads}
	f.reads++
	fails := f.Reads != nil && f.Reads(call)
	f.mu.Unlock()
	if fails {
		return *new(R), ErrRead
	}
	return read()
}
