package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PutSalt sends one PutItem on condition that the day has no salt yet. Refused comes
// with the salt that stands, so that asking costs no read.
func (t *Table) PutSalt(ctx context.Context, s model.Salt) (model.Answer, model.Salt, error) {
	x := newExpression()
	answer, old, err := t.putItem(ctx, "put salt into", item.FromSalt(&s), x, x.free())
	if answer != model.Refused {
		return answer, model.Salt{}, err
	}
	standing, err := item.Salt(old)
	return answer, standing, err
}
