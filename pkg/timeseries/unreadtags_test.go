package timeseries_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

type indoor struct {
	X float64 `tide:"measure,name=indoor"`
}

type outdoor struct {
	X float64 `tide:"measure,name=outdoor"`
}

// A field whose tag Go cannot read would be left out of each event, without a word.
func TestOpen_TagsThatGoDoesNotRead(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() error{
		"an upper-case letter": openModel[struct {
			minimalModel
			X float64 `Tide:"measure"`
		}](iot.Readings),
		"nothing": openModel[struct {
			minimalModel
			X float64 `tide:""`
		}](iot.Readings),
		"an option twice": openModel[struct {
			minimalModel
			X float64 `tide:"measure,scale=2,scale=9"`
		}](iot.Readings),
		"two embedded structs with a field of one name": openModel[struct {
			minimalModel
			indoor
			outdoor
		}](iot.Readings),
	} {
		var mistake *timeseries.Error
		if err := open(); !errors.As(err, &mistake) || mistake.Code != timeseries.TagUnreadable ||
			mistake.Field != "X" || strings.Count(err.Error(), "TM-") != 1 {
			t.Errorf("%s: %v; want TM-009 of X alone", name, err)
		}
	}
}

// Tags of other packages, and names that contain tide, are none of ours.
func TestOpen_TagsOfOtherPackages(t *testing.T) {
	t.Parallel()
	type shadowed struct {
		indoor
		X float64 `tide:"measure,name=room"` // as Go reads it: the outer field
	}
	for name, open := range map[string]func() error{
		"a name with tide": openModel[struct {
			minimalModel
			X float64 `json:"tide:level" tide:"measure,name=level"`
		}](iot.Readings),
		"ignored": openModel[struct {
			minimalModel
			X float64 `tide:"-" json:"high tide"`
		}](iot.Readings),
		"an outer field of the same name": openModel[struct {
			minimalModel
			shadowed
		}](iot.Readings),
	} {
		if err := open(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpen_CursorKeysThatCanBeGuessed(t *testing.T) {
	t.Parallel()
	for n, refused := range map[int]bool{0: false, 1: true, 15: true, 16: false} {
		_, err := timeseries.Open[minimalModel](newTable(), iot.Readings,
			&timeseries.Options{CursorKey: make([]byte, n)})
		if (err != nil) != refused {
			t.Errorf("a key of %d bytes: %v; refused should be %t", n, err, refused)
		}
	}
}
