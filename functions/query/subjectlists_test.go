package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// newAccounts returns a handler of a table with accounts that are listed by plan and region, in the order of
// their seats: s-3, s0, s9 and s10.
func newAccounts(t *testing.T) *Handler {
	t.Helper()
	h := newSubjects(t)
	kinds, err := catalog.NewWith([]catalog.SubjectType{{Name: "ACCOUNT", Profile: &catalog.Profile{
		Indexes: []catalog.ProfileIndex{
			{
				Field: "plan", And: []string{"region"}, Sort: []string{"seats"},
				Types: map[string]catalog.OrderType{"seats": catalog.NumberOrder},
			},
			{Field: "region", Index: catalog.SecondIndex, Shards: 3},
		},
	}}}, h.Catalog.Kinds...)
	if err != nil {
		t.Fatal(err)
	}
	h.Catalog, h.Subjects.Profile = kinds, kinds.Profile
	for _, seats := range []int64{9, -3, 10, 0} {
		fields := model.Attrs{text("plan", "pro&co"), text("region", "eu"),
			{Name: "seats", Value: model.NumberValue(model.NewDecimal(seats))}}
		s := model.Subject{Type: "ACCOUNT", ID: fmt.Sprint("s", seats)}
		if _, err := h.Subjects.Create(t.Context(), s, fields); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

const euPro = "/v1/accounts?field=plan&value=pro%26co&field=region&value=eu"

// readPage returns the subjects of a page, and its cursor.
func readPage(t *testing.T, h *Handler, path string) (subjects, next string) {
	t.Helper()
	var page struct {
		Subjects []struct{ Subject string }
		Next     string
	}
	response := get(t, h, path)
	if err := json.Unmarshal([]byte(response.Body), &page); err != nil || response.Status != 200 {
		t.Fatalf("%s: %d %s", path, response.Status, response.Body)
	}
	for _, s := range page.Subjects {
		subjects += s.Subject + " "
	}
	return subjects, page.Next
}

func TestHandle_ListsSubjectsByAnIndexOfSeveralFields(t *testing.T) {
	h := newAccounts(t)
	for query, want := range map[string]string{
		"":                         "s-3 s0 s9 s10 ",
		"&descending=true":         "s10 s9 s0 s-3 ",
		"&valueFrom=0":             "s0 s9 s10 ",
		"&valueTo=9":               "s-3 s0 ",
		"&valueFrom=-3&valueTo=10": "s-3 s0 s9 ",
		"&valueFrom=0.5&valueTo=1e3&descending=true": "s10 s9 ",
		"&valueFrom=11":                                "",
		"&valueFrom=9&valueTo=9":                       "",
		"&valueTo=9&descending=true&deleted=false":     "s0 s-3 ",
		"&valueFrom=-1&descending=false&deleted=false": "s0 s9 s10 ",
	} {
		if got, next := readPage(t, h, euPro+query); got != want || next != "" {
			t.Errorf("%s: %q, then %q; want %q and no more", query, got, next, want)
		}
		all, next := readPage(t, h, euPro+query+"&limit=1")
		for pages := 0; next != "" && pages < 9; pages++ {
			var page string
			page, next = readPage(t, h, euPro+query+"&limit=1&cursor="+next)
			all += page
		}
		if all != want {
			t.Errorf("%s in pages: %q, want %q", query, all, want)
		}
	}
	swapped := "/v1/accounts?field=region&value=eu&field=plan&value=pro%26co"
	if got, _ := readPage(t, h, swapped); got != "s-3 s0 s9 s10 " {
		t.Errorf("the fields in another order: %q", got)
	}
}

func TestHandle_ExplainsListsThatNoIndexHas(t *testing.T) {
	h := newAccounts(t)
	_, next := readPage(t, h, euPro+"&valueFrom=0&limit=1")
	for path, want := range map[string]string{
		euPro + "&limit=1&cursor=" + next:                             `"type":"/problems/foreign-cursor"`,
		euPro + "&valueFrom=-3&limit=1&cursor=" + next:                `"type":"/problems/foreign-cursor"`,
		euPro + "&valueTo=0&limit=1&cursor=" + next:                   `"type":"/problems/foreign-cursor"`,
		euPro + "&valueFrom=0&descending=true&limit=1&cursor=" + next: `"type":"/problems/foreign-cursor"`,
		"/v1/accounts?field=plan&value=pro":                           "pass a value of region too",
		"/v1/accounts?field=seats&value=3":                            "use one that exists: by plan and region",
		"/v1/accounts?field=plan&value=a&field=plan&value=b":          "a field is there twice",
		"/v1/accounts?field=plan&field=region&value=a":                "a value after each field",
		"/v1/accounts?field=plan&value=":                              "a value after each field",
		"/v1/accounts?valueFrom=3":                                    "indexed fields: plan and region, region",
		"/v1/accounts?descending=true":                                "indexed fields: plan and region, region",
		"/v1/accounts?deleted=true&descending=true":                   "deleted subjects are in no index",
		"/v1/accounts?deleted=true&field=region&value=eu":             "deleted subjects are in no index",
		"/v1/accounts?field=region&value=eu&descending=true":          `"type":"/problems/bad-condition"`,
		"/v1/accounts?field=region&value=eu&valueFrom=1":              "declare sort, or leave the bounds out",
		euPro + "&valueFrom=many":                                     "seats sorts the index as a number",
		euPro + "&valueFrom=":                                         "seats sorts the index as a number",
		euPro + "&valueFrom=3&valueTo=1":                              "exchange them",
		euPro + "&valueFrom=3&valueFrom=1":                            `"type":"/problems/repeated-parameter"`,
		euPro + "&descending=maybe":                                   `"type":"/problems/bad-boolean"`,
	} {
		response := get(t, h, path)
		var problem struct{ Detail string }
		err := json.Unmarshal([]byte(response.Body), &problem)
		said := response.Body + problem.Detail
		if err != nil || response.Status != 400 || !strings.Contains(said, want) {
			at, _ := url.QueryUnescape(path)
			t.Errorf("%s: %d %s, want %s", at, response.Status, response.Body, want)
		}
	}
}
