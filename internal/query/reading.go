package query

import (
	"context"
	"fmt"
	"iter"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// reading is a request made ready: pages for callers that stop and continue,
// iteration for those that do not.
type reading[T, Answer any] struct {
	subject string // what is read, for errors
	cursors
	shardReader[T]
	// answer makes what is handed out of the items that stand at one place, one of
	// each shard at most.
	answer func(group []T) (Answer, error)
}

// one is the page after cursor, and the cursor after it.
func (r *reading[T, Answer]) one(ctx context.Context, cursor string, limit int) ([]Answer, string, error) {
	answers, next, err := r.pageAfter(ctx, cursor, limit)
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", r.subject, err)
	}
	return answers, next, nil
}

func (r *reading[T, Answer]) pageAfter(ctx context.Context, cursor string, limit int) ([]Answer, string, error) {
	past, err := r.open(cursor)
	if err != nil {
		return nil, "", err
	}
	answers, next, err := r.answers(ctx, past, limit)
	if err != nil || next == nil {
		return answers, "", err
	}
	sealed, err := r.seal(*next)
	return answers, sealed, err
}

// all reads page after page and hands out at most limit answers, 0 being all. An
// error comes last, with no answer.
func (r *reading[T, Answer]) all(ctx context.Context, cursor string, limit int) iter.Seq2[Answer, error] {
	return func(yield func(Answer, error) bool) {
		if err := r.each(ctx, cursor, limit, func(a Answer) bool { return yield(a, nil) }); err != nil {
			var none Answer
			yield(none, fmt.Errorf("read %s: %w", r.subject, err))
		}
	}
}

func (r *reading[T, Answer]) each(ctx context.Context, cursor string, limit int, yield func(Answer) bool) error {
	past, err := r.open(cursor)
	if err != nil {
		return err
	}
	for {
		answers, next, err := r.answers(ctx, past, limit)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if !yield(a) {
				return nil
			}
		}
		if next == nil || limit > 0 && limit == len(answers) {
			return nil
		}
		past, limit = next, limit-min(limit, len(answers))
	}
}

// answers is one page as it is handed out, and the order to go on from.
func (r *reading[T, Answer]) answers(ctx context.Context, past *model.Order, limit int) ([]Answer, *model.Order, error) {
	groups, next, err := r.page(ctx, past, limit)
	if err != nil {
		return nil, nil, err
	}
	answers := make([]Answer, len(groups))
	for i, group := range groups {
		if answers[i], err = r.answer(group); err != nil {
			return nil, nil, err
		}
	}
	return answers, next, nil
}
