package arguments

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/internal/usertime"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Event returns the identity of the event that arguments and flags name. kind may be "" if
// the subject has one kind. The error is one of usage.
func Event(kinds *catalog.Catalog, subject, kind, stream, at, id string) (*catalog.Kind, model.EventKey, error) {
	of, err := Subject(subject, kinds)
	if err != nil {
		return nil, model.EventKey{}, err
	}
	var names []string
	if kind != "" {
		names = []string{kind}
	}
	found, err := Kinds(kinds, of, names)
	if err != nil {
		return nil, model.EventKey{}, err
	}
	if len(found) > 1 {
		return nil, model.EventKey{}, usage.Errorf("%s have several kinds of event: choose one with --kind %s", found[0].Subject.Path, strings.Join(KindNames(found), " or --kind "))
	}
	when, err := usertime.Parse(at)
	if err != nil {
		return nil, model.EventKey{}, usage.Errorf("time of the event: %w", err)
	}
	order := model.Order{At: when, ID: id}
	key := model.EventKey{Series: found[0].Series(of.ID, stream, order), Order: order}
	return found[0], key, nil
}
