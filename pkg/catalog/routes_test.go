package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestRoutes_AreTheKindsInOrder(t *testing.T) {
	views := catalog.Kind{Name: "PAGEVIEW", Subject: catalog.SubjectType{Name: "SITE"}, WithoutCurrent: true}
	views.Dimensions, views.IndexBy = []rollup.DimensionSpec{{Name: "path"}}, "visitor"
	clicks := catalog.Kind{Name: "CLICK", Subject: views.Subject, WithoutCurrent: true}
	want := []catalog.Route{
		{"POST", "/v1/flows", catalog.Append, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows", catalog.ReadHistory, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/count", catalog.ReadCount, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/rollups", catalog.ReadChart, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/rollups/{tier}", catalog.ReadRollups, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/current", catalog.ReadCurrent, "FLOW"},
		{"POST", "/v1/pageviews", catalog.Append, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews", catalog.ReadHistory, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/count", catalog.ReadCount, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/rollups", catalog.ReadChart, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/rollups/{tier}", catalog.ReadRollups, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/top/{dimension}", catalog.ReadTop, "PAGEVIEW"},
		{"GET", "/v1/pageviews/visitor/{value}", catalog.ReadByValue, "PAGEVIEW"},
		{"POST", "/v1/clicks", catalog.Append, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks", catalog.ReadHistory, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/count", catalog.ReadCount, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/rollups", catalog.ReadChart, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/rollups/{tier}", catalog.ReadRollups, "CLICK"},
		{"GET", "/v1/pumps/{id}", catalog.ReadProfile, "PUMP"},
		{"GET", "/v1/sites/{id}", catalog.ReadProfile, "SITE"},
		{"GET", "/v1/sites/{id}/rollups", catalog.ReadAllChart, "SITE"},
		{"GET", "/v1/sites/{id}/rollups/{tier}", catalog.ReadAllRollups, "SITE"},
		{"GET", "/v1/sites/{id}/top/{dimension}", catalog.ReadAllTop, "SITE"},
	}
	if diff := cmp.Diff(want, mustNew(t, flow, views, clicks).Routes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
