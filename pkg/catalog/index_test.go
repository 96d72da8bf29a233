package catalog_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestIndexBy_MayBeADimension(t *testing.T) {
	whole := func(indexBy string) catalog.Kind {
		return catalog.Kind{
			Name: "VISIT", Subject: catalog.SubjectType{Name: "QUAY"}, IndexBy: indexBy,
			Measures:   []rollup.MeasureSpec{{Name: "draught"}},
			Dimensions: []rollup.DimensionSpec{{Name: "flag"}, {Name: "ship"}},
			Distinct:   []string{"ship", "captain"},
			Enrichment: []string{"berth"},
		}
	}
	for _, field := range []string{"", "flag", "captain", "ship", "cargo"} {
		if _, err := catalog.New(whole(field)); err != nil {
			t.Errorf("%q: %v", field, err)
		}
	}
	for field, why := range map[string]string{
		"draught": "declared as a measure already", "berth": "declared as enrichment already",
		"quayId": "declared as the subject's field already", "_x": "reserved for Tidemark", "id": "fixed meaning in every observation",
	} {
		_, err := catalog.New(whole(field))
		if err == nil || !strings.Contains(err.Error(), "indexBy") || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want indexBy: … %s", field, err, why)
		}
	}
}

func TestKindsOf_ReturnsTheKindsOfASubjectInOrder(t *testing.T) {
	quay := catalog.SubjectType{Name: "QUAY", Path: "quays", Field: "quayId"}
	c, err := catalog.New(
		catalog.Kind{Name: "VISIT", Subject: quay},
		catalog.Kind{Name: "FLIGHT", Subject: catalog.SubjectType{Name: "TOWER"}},
		catalog.Kind{Name: "CALL", Subject: quay})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range c.SubjectKinds(quay) {
		names = append(names, k.Name)
	}
	if strings.Join(names, " ") != "VISIT CALL" || len(c.SubjectKinds(catalog.SubjectType{Name: "SHIP"})) != 0 {
		t.Errorf("kinds of a quay: %v, want VISIT CALL", names)
	}
}
