package keys

// Sparse is the value of an index key that only some items have: value where the item
// belongs into the index. ok is false where it does not, and for an empty value, which
// no index takes: then leave the attribute out.
func Sparse(belongs bool, value string) (_ string, ok bool) {
	if !belongs || value == "" {
		return "", false
	}
	return value, true
}

// NextVersion is the version of an item's next change, where current is that of the
// last; 0, of an item that is not there yet, has 1 follow. Write it on condition that
// the stored one is still current.
func NextVersion(current int64) int64 { return current + 1 }
