package ingest_test

import (
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Judge reads a reply by the precedence of verdicts.
func TestJudge_FollowsThePrecedence(t *testing.T) {
	t.Parallel()
	order := model.Order{At: 1000, ID: "b"}
	mine := model.Event{Order: order, Hash: model.Hash{1}}
	tx := &ingest.Transaction{Current: &ingest.CurrentWrite{Last: order, Hash: mine.Hash}, Puts: []model.Event{mine}}
	current := func(at model.Time, id string, hash byte, fenced bool) *model.Current {
		return &model.Current{Ordered: true, Order: model.Order{At: at, ID: id}, Hash: model.Hash{hash}, Fenced: fenced}
	}
	same, other := &model.Event{Hash: mine.Hash}, &model.Event{Hash: model.Hash{2}}
	none := []*model.Event{nil}
	for name, c := range map[string]struct {
		reply ingest.Reply
		want  model.Verdict
	}{
		"stored":                      {ingest.Reply{Answer: model.Written}, model.Applied},
		"throttled":                   {ingest.Reply{Answer: model.Throttled}, model.Unknown},
		"in conflict with another":    {ingest.Reply{Answer: model.Conflicting}, model.Unknown},
		"answer lost":                 {ingest.Reply{Answer: model.Uncertain}, model.Unknown},
		"gate shut":                   {ingest.Reply{Answer: model.Refused, GateFailed: true, Stored: []*model.Event{same}}, model.Gone},
		"fenced":                      {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: current(1, "", 0, true), Stored: none}, model.Gone},
		"this very event":             {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: current(9000, "", 0, false), Stored: []*model.Event{same}}, model.Duplicate},
		"its identity":                {ingest.Reply{Answer: model.Refused, Stored: []*model.Event{other}}, model.Collision},
		"current remembers it":        {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: current(1000, "b", 1, false), Stored: none}, model.Duplicate},
		"current remembers another":   {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: current(1000, "b", 7, false), Stored: none}, model.Collision},
		"older":                       {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: current(2000, "", 0, false), Stored: none}, model.Stale},
		"older by its id":             {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: current(1000, "c", 0, false), Stored: none}, model.Stale},
		"newer, the condition failed": {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Current: current(500, "", 0, false), Stored: none}, model.Conflict},
		"no current, it failed":       {ingest.Reply{Answer: model.Refused, CurrentFailed: true, Stored: none}, model.Conflict},
		"the caller's own item":       {ingest.Reply{Answer: model.Refused, Stored: none}, model.Conflict},
	} {
		if got := ingest.Judge(tx, c.reply); got.Verdict != c.want || got.Key.Order != order {
			t.Errorf("%s: %s, want %s", name, got.Verdict, c.want)
		}
	}
	if got := ingest.Judge(tx, ingest.Reply{Answer: model.Written}); got.Current == nil || got.Current.Order != order {
		t.Errorf("applied shows %+v, want what was written", got.Current)
	}
}

func TestCompose_AKindWithoutCurrentTakesNoCondition(t *testing.T) {
	t.Parallel()
	service, kind := serviceOn(nil, 1), kindOf(t, withoutCurrent)
	tx, wrong, err := service.Compose(kind, draft(minute(0), ""), nil)
	if err != nil || wrong != nil || tx.Current != nil || tx.Gate == nil || len(tx.Puts) != 1 {
		t.Errorf("without a condition: %+v, %v, %v; want the event and the gate alone", tx, wrong, err)
	}
	where := ingest.Condition{{Field: "x", Op: ingest.Exists}}
	if _, _, err := service.Compose(kind, draft(minute(0), ""), where); !errors.Is(err, ingest.ErrNoCurrent) {
		t.Errorf("with one: %v, want %v", err, ingest.ErrNoCurrent)
	}
}
