package storetest

import (
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

var rotatingSecretFacts = []fact{
	{"the first secret of a day is kept, and later callers get it back", func(c *contract) {
		first := storage.RotatingSecret{Day: noon - 12*60*60*1000, Secret: []byte{1, 2}, ExpiresAt: 5}
		result, _, err := c.table.PutRotatingSecret(c.Context(), first)
		if err != nil || result != storage.Written {
			c.Fatalf("the first: %v, %v; want written", result, err)
		}
		for range 2 {
			result, stored, err := c.table.PutRotatingSecret(c.Context(),
				storage.RotatingSecret{Day: noon, Secret: []byte{9}, ExpiresAt: 7})
			if err != nil || result != storage.ConditionFailed {
				c.Fatalf("the second: %v, %v; want condition failed", result, err)
			}
			c.equal("stored secret", stored, first)
		}
		result, _, err = c.table.PutRotatingSecret(c.Context(),
			storage.RotatingSecret{Day: noon + 24*60*60*1000, Secret: []byte{9}, ExpiresAt: 7})
		if err != nil || result != storage.Written {
			c.Errorf("another day's: %v, %v; want written", result, err)
		}
	}},
}
