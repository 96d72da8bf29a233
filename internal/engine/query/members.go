package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Errors of an invalid request for members.
var (
	ErrNoMembers = errors.New("only groups have members: declare groups of the kind, and read a group of it")
	ErrRanking   = errors.New("rows of groups have no such list: want the highest max, the lowest min, or " +
		"the highest or lowest sum, mean or count")
	// ErrOneBucket is returned for a list that only single buckets of the finest tier have.
	ErrOneBucket = errors.New("only a single bucket of the finest tier has this list, because a member may " +
		"be eleventh in each bucket and first of all of them")
)

// Members requests the first members of a group in the rollups that it embeds.
type Members struct {
	Rollups
	Measure string
	Ranking rollup.Ranking
	Values  int // how many members to return; 0 means all that are stored
}

// Member is a member of a group, with the value that its place is by.
type Member struct {
	Member string        `json:"member"` // id of the subject
	Value  model.Decimal `json:"value"`
}

// MemberRanks are the first members of a group.
type MemberRanks struct {
	// Members are in order, each once. nil: it is not known which they are.
	Members []Member `json:"members"`
	// Places is how many members are known: 10, or fewer after a purge of one. If there are fewer members than
	// places, these are all members with values. 0: not known.
	Places int `json:"places"`
}

// Members returns the first members of a group over the whole time range, and the total of the range. Buckets
// are merged exactly. The error is ErrNoMembers, ErrRanking, or ErrOneBucket if the buckets cannot be merged.
func (s *Service) Members(ctx context.Context, q Members) (MemberRanks, Total, error) {
	if err := q.check(); err != nil {
		return MemberRanks{}, Total{}, fmt.Errorf("%s %.64q of %s: %w", q.Ranking, q.Measure, q.Series, err)
	}
	total, err := s.Total(ctx, q.Rollups)
	if err != nil {
		return MemberRanks{}, Total{}, err
	}
	ranks := Rollup{Fold: total.Fold}.Members(q.Measure, q.Ranking)
	if q.Values > 0 && len(ranks.Members) > q.Values {
		ranks.Members = ranks.Members[:q.Values]
	}
	return ranks, total, nil
}

func (q *Members) check() error {
	finest := q.Kind.Retention.Finest().Unit
	switch {
	case q.Kind.GroupsOf == "":
		return ErrNoMembers
	case !q.Ranking.Known():
		return ErrRanking
	case !q.Ranking.Merges() && (q.Unit != finest || finest.BucketAt(q.From).End < q.To):
		return fmt.Errorf("%w: request one %s", ErrOneBucket, finest)
	}
	return nil
}

// Members returns the first members of a group by a statistic of a measure.
func (r Rollup) Members(measure string, by rollup.Ranking) MemberRanks {
	list := r.Summary.Members(measure, by)
	if list.Places == 0 {
		return MemberRanks{}
	}
	return MemberRanks{Places: list.Places, Members: lists.Map(list.Members, func(m rollup.Member) Member {
		subject, _ := tablekeys.ParseMember(m.Name)
		return Member{Member: subject.ID, Value: m.Value}
	})}
}
