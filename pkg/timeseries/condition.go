package timeseries

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AppendOption is what an append asks beside the order of events.
type AppendOption func(*appending)

type appending struct {
	where   model.Condition
	mistake error
}

// If appends only where current's field, by the name it is stored under, enrichment
// included, compares with value as op says; several must all hold. Where current does
// not meet it the verdict is model.Conflict, and never one of the order's.
func If(field string, op model.Op, value any) AppendOption {
	return func(a *appending) {
		t, err := term(field, op, value)
		a.where, a.mistake = append(a.where, t), errors.Join(a.mistake, err)
	}
}

func (e *Events[T]) appending(opts []AppendOption) (model.Condition, error) {
	var a appending
	for _, opt := range opts {
		opt(&a)
	}
	if a.mistake != nil {
		return nil, a.mistake
	}
	for _, t := range a.where {
		if e.model.find(t.Field) == nil {
			return nil, fmt.Errorf("%.64q: %w", t.Field, ErrField)
		}
	}
	return a.where, a.where.Check()
}

// appendIf appends one value on a condition.
func (e *Events[T]) appendIf(ctx context.Context, v T, where model.Condition) (Outcome[T], error) {
	draft, wrong := e.draft(&v)
	if len(wrong) > 0 {
		return Outcome[T]{Verdict: model.Rejected, Errors: wrong}, nil
	}
	settled, err := e.in.AppendIf(ctx, e.kind, draft, where)
	out, undecoded := e.outcome(settled)
	if err == nil {
		err = undecoded
	}
	return out, err
}

func (e *Events[T]) draft(v *T) (ingest.Draft, []model.FieldError) {
	return e.model.draft(reflect.ValueOf(v).Elem(), e.kind.FinerTime)
}
