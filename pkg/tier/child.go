package tier

// HasRow reports whether the tier has a row for bucket b: a tier that was added later has
// rows only from its From on.
func (t Tier) HasRow(b Bucket) bool { return t.From == 0 || b.Start >= t.From }

// ChildLevel returns the level whose rows add up to bucket b of the given level; -1 where
// b is folded from events. It skips a tier that begins within b, because rows of it are
// missing.
func (p Policy) ChildLevel(level int, b Bucket) int {
	for i := level - 1; i >= 0; i-- {
		if p.Tiers[i].HasRow(b) {
			return i
		}
	}
	return -1
}
