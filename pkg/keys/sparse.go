package keys

// Sparse returns the value of an index key that only some items have. ok is false if the
// item does not belong in the index, or if the value is empty, which no index accepts:
// then leave the attribute out of the item.
func Sparse(belongs bool, value string) (_ string, ok bool) {
	if !belongs || value == "" {
		return "", false
	}
	return value, true
}

// NextVersion returns the version of an item's next change. current is the version of
// its last change, or 0 if the item does not exist yet. Write the item on the condition
// that its stored version is still current.
func NextVersion(current int64) int64 { return current + 1 }
