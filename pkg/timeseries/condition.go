package timeseries

import (
	"context"
	"fmt"
	"reflect"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AppendOption adds a condition to an append.
type AppendOption func(*appendOptions)

type appendOptions struct {
	comparisons []comparison
}

// If appends only if a stored field of the latest item, enrichment included, compares with value as op says.
// With several If options, all must hold. Otherwise the outcome is model.Conflict and the
// error ErrConflict. value has the type of the field; another is model.ErrCondition.
func If(field string, op model.Op, value any) AppendOption {
	return func(a *appendOptions) {
		a.comparisons = append(a.comparisons, comparison{field: field, op: op, value: value})
	}
}

func (e *Events[T]) condition(opts []AppendOption) (model.Condition, error) {
	var a appendOptions
	for i, opt := range opts {
		if opt == nil {
			return nil, nilOption(i)
		}
		opt(&a)
	}
	if len(a.comparisons) > 0 && !e.declared.LatestInTransaction() {
		return nil, fmt.Errorf("append with If to kind %s: %w", e.declared.Name, ErrNoLatest)
	}
	for _, one := range a.comparisons {
		if e.layout.find(one.field) == nil {
			return nil, fmt.Errorf("%.64q: %w", one.field, ErrField)
		}
	}
	return e.layout.condition(a.comparisons)
}

// appendIf appends one value on a condition.
func (e *Events[T]) appendIf(ctx context.Context, v T, condition model.Condition) (Result[T], error) {
	ctx, cancel := e.withPatience(ctx)
	defer cancel()
	observation, problems := e.observation(&v)
	if len(problems) > 0 {
		err := model.FieldErrors(problems)
		return Result[T]{Err: err}, err
	}
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return Result[T]{Err: err}, err
	}
	appended, err := e.ingest.AppendIf(ctx, kind, observation, condition)
	result := e.result(appended, err)
	return result, result.Err
}

func (e *Events[T]) observation(v *T) (ingest.TypedObservation, []model.FieldError) {
	return e.layout.observation(reflect.ValueOf(v).Elem())
}
