package alert_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A name is of one rule in a subject type. A rule of another kind, stream or measure is another rule: under
// the same name, the events of the rule that exists would not be tested any more.
func TestAddRule_RefusesTheNameOfARuleThatWatchesSomethingElse(t *testing.T) {
	for name, change := range map[string]func(*storage.Rule){
		"another kind":    func(r *storage.Rule) { r.Kind = "METER" },
		"one stream":      func(r *storage.Rule) { r.AnyStream, r.Stream = false, "room" },
		"another measure": func(r *storage.Rule) { r.Measure = "humidity" },
		"silence": func(r *storage.Rule) {
			*r = storage.Rule{Name: r.Name, SubjectType: r.SubjectType, Kind: r.Kind, AnyStream: true,
				Test: storage.TestSilence, For: times.Span(time.Hour), Severity: storage.Info}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t)
			meters := iot.Readings
			meters.Name, meters.Path = "METER", "meters"
			var err error
			if r.Catalog, err = catalog.New(iot.Readings, meters); err != nil {
				t.Fatal(err)
			}
			first := r.mustAddRule(hotRule())
			r.append(1, 31)
			r.evaluate()
			other := hotRule()
			change(&other)
			_, wrong, err := r.AddRule(t.Context(), other)
			const want = "too-hot is already a rule for temperature of READING, any stream: " +
				"choose another name, or remove that rule first"
			taken := model.FieldError{Field: "name", Code: alert.CodeRuleTaken, Message: want}
			if err != nil || len(wrong) != 1 || wrong[0] != taken {
				t.Errorf("got %+v, %v; want %+v", wrong, err, taken)
			}
			r.wantAlerts("open 31")
			if rules, err := r.Rules(t.Context(), "DEVICE", ""); err != nil || len(rules) != 1 ||
				rules[0].ID() != first.ID() {
				t.Errorf("rules %+v, %v; want only %s", rules, err, first.ID())
			}
			if _, err := r.RemoveRule(t.Context(), "DEVICE", "", "too-hot", "ann"); err != nil {
				t.Fatal(err)
			}
			if after := r.mustAddRule(other); after.ID() != "too-hot.2" {
				t.Errorf("after the removal: %s, want too-hot.2", after.ID())
			}
		})
	}
}
