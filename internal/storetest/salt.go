package storetest

import "github.com/tidemark-db/tidemark/pkg/model"

var saltFacts = []fact{
	{"the first salt of a day stands, and whoever comes after is told it", func(c *contract) {
		first := model.Salt{Day: noon - 12*60*60*1000, Secret: []byte{1, 2}, ExpiresAt: 5}
		answer, _, err := c.table.PutSalt(c.Context(), first)
		if err != nil || answer != model.Written {
			c.Fatalf("the first: %v, %v; want written", answer, err)
		}
		for range 2 {
			answer, standing, err := c.table.PutSalt(c.Context(), model.Salt{Day: noon, Secret: []byte{9}, ExpiresAt: 7})
			if err != nil || answer != model.Refused {
				c.Fatalf("the second: %v, %v; want refused", answer, err)
			}
			c.equal("what stands", standing, first)
		}
		answer, _, err = c.table.PutSalt(c.Context(), model.Salt{Day: noon + 24*60*60*1000, Secret: []byte{9}, ExpiresAt: 7})
		if err != nil || answer != model.Written {
			c.Errorf("another day's: %v, %v; want written", answer, err)
		}
	}},
}
