package lifecycle

// SearchShards makes a purge search n shards, which is faster than all.
func (p *Purger) SearchShards(n int) *Purger {
	p.shards = n
	return p
}
