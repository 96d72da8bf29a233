package main

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// checkLink returns a problem unless the caller's link shows the result of the action for all subjects. Of
// the service itself, it shows the description of the API.
func (h *Handler) checkLink(r *httpapi.Request, res resource, args params, subjects []string) error {
	if res.Action == httpapi.ReadAPI {
		subjects = nil
	}
	named := lists.Map(subjects, func(id string) string {
		if res.series.Kind == nil {
			return "" // health and release
		}
		return res.series.Kind.Subject.Path + "/" + id
	})
	if err := access.LinkAllows(r.Authorizer, named...); err != nil {
		return httpapi.ProblemForeign.New("%v", err)
	}
	switch who := res.Action.Access(); {
	case who.Link == httpapi.LinkAlways:
	case who.Link != httpapi.LinkEvents:
		return httpapi.ProblemForeign.New("a shared link shows figures, the latest state and the profile, not this")
	case !access.LinkShowsEvents(r.Authorizer):
		return httpapi.ProblemForeign.New(
			"this shared link shows no events: tidemark access link --events makes one that does")
	case !res.series.Kind.HasEvents():
		return httpapi.ProblemForeign.New(
			"a shared link shows no sessions: they are found by the pseudonyms of visitors")
	}
	hidden := h.pseudonyms(res)
	for _, name := range append(namedFields(args), res.Values["dimension"]) {
		if slices.Contains(hidden, name) {
			return httpapi.ProblemForeign.New("a shared link does not show %s, which tells persons or things apart",
				name)
		}
	}
	return nil
}

// namedFields returns the fields that the conditions and the list of fields of a request name.
func namedFields(args params) (names []string) {
	for _, text := range args.all("where") {
		if term, err := httpapi.ParseWhere(text); err == nil { // the action reports the error
			names = append(names, term.Field)
		}
	}
	return append(names, strings.Split(args.text("fields"), ",")...)
}

// pseudonyms returns the fields of a series that tell apart whom it counts: visitors, for example. Figures
// count their values; links do not show them.
func (h *Handler) pseudonyms(res resource) (names []string) {
	if res.series.Kind == nil {
		return nil
	}
	for _, k := range append(slices.Clone(res.with), res.series.Kind) {
		names = append(names, k.Distinct...)
		for _, sessions := range h.Catalog.SessionKinds(k.Name) {
			names = append(names, sessions.Sessions.By)
		}
	}
	return names
}

// withoutPseudonyms returns the result of a read as a shared link shows it.
func (h *Handler) withoutPseudonyms(res resource, result any) any {
	hidden := h.pseudonyms(res)
	switch shown := result.(type) {
	case views.History:
		shown.Events = lists.Map(shown.Events,
			func(e views.Event) views.Event { return e.Without(hidden) })
		return shown
	case views.Event:
		return shown.Without(hidden)
	}
	return result
}
