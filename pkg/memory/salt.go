package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PutSalt stores the salt of a day on condition that it has none yet. Refused comes
// with the salt that stands.
func (t *Table) PutSalt(ctx context.Context, s model.Salt) (model.Answer, model.Salt, error) {
	it := item.FromSalt(&s)
	answer, old, err := t.one(ctx, "put salt", action{key: it.Key(), holds: free, become: whole(it)})
	if answer != model.Refused {
		return answer, model.Salt{}, err
	}
	standing, err := item.Salt(old)
	return answer, standing, err
}
