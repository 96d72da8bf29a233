package promapi

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
)

func (a *API) labelNames(ctx context.Context, r request) (result, error) {
	return a.texts(ctx, r, func(l labels.Labels, add func(string)) {
		l.Range(func(l labels.Label) { add(l.Name) })
	})
}

// labelValues returns the values of a label, whose name may be escaped as Prometheus escapes UTF-8.
func (a *API) labelValues(ctx context.Context, r request) (result, error) {
	name := r.name
	if strings.HasPrefix(name, "U__") {
		name = model.UnescapeName(name, model.ValueEncodingEscaping)
	}
	if !model.UTF8Validation.IsValidLabelName(name) {
		return result{}, badData("%.64q is no name of a label", name)
	}
	found, err := a.texts(ctx, r, func(l labels.Labels, add func(string)) { add(l.Get(name)) })
	if err != nil {
		return result{}, err
	}
	if _, isLabel := a.known(name); !isLabel {
		found.Warnings = append(found.Warnings, noLabel(name))
	}
	return found, nil
}

// texts returns the texts of the series of all selectors, sorted, each once, up to the limit.
func (a *API) texts(ctx context.Context, r request, of func(labels.Labels, func(string))) (result, error) {
	found := map[string]bool{}
	warnings, err := a.eachSet(ctx, r, false, func(l labels.Labels) {
		of(l, func(text string) { found[text] = true })
	})
	if err != nil {
		return result{}, err
	}
	delete(found, "") // the value of a label that a series does not have
	return limitedResult(r, sortedKeys(found), warnings)
}

func (a *API) series(ctx context.Context, r request) (result, error) {
	all := []labels.Labels{}
	warnings, err := a.eachSet(ctx, r, true, func(l labels.Labels) { all = append(all, l) })
	if err != nil {
		return result{}, err
	}
	slices.SortFunc(all, labels.Compare)
	return limitedResult(r, slices.CompactFunc(all, labels.Equal), warnings)
}

// eachSet calls add for the labels of each listed series that a selector finds, whatever the range of the
// request is, and returns what a selector that finds nothing names and no series has, and why
// series may be missing.
func (a *API) eachSet(
	ctx context.Context, r request, required bool, add func(labels.Labels),
) (warnings []string, err error) {
	if err := r.checkRange(); err != nil {
		return nil, err
	}
	behind, err := a.behind(ctx)
	if err != nil {
		return nil, err
	}
	err = r.eachSelector(required, func(matchers []*labels.Matcher) error {
		sets, err := a.labelSets(ctx, matchers)
		for _, l := range sets {
			add(l)
		}
		if len(sets) == 0 {
			warnings = append(warnings, a.unknown(matchers)...)
		}
		return err
	})
	return append(warnings, behind...), err
}

// checkRange returns an error for a start or an end that is no time, and for an end before the start.
func (r request) checkRange() error {
	start, err := parseTime(r.values, "start", earliest)
	if err != nil {
		return err
	}
	end, err := parseTime(r.values, "end", latest)
	if err == nil && end.Before(start) {
		err = badData("end is before start")
	}
	return err
}

// sortedKeys is never nil: JSON has an empty list.
func sortedKeys[V any](set map[string]V) []string {
	keys := slices.AppendSeq(make([]string, 0, len(set)), maps.Keys(set))
	slices.Sort(keys)
	return keys
}
