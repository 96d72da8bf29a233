package main

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
)

// responses returns the responses by status: the success, 304 and the problems.
func (d describer) responses() map[string]any {
	o := d.row
	good := map[string]any{"description": o.Summary + ".", "content": d.content(o.Result)}
	all := map[string]any{strconv.Itoa(o.success()): good}
	read := reads[d.route.Action] != nil
	if read {
		good["headers"] = fragments().ResponseHeaders
		all[strconv.Itoa(http.StatusNotModified)] = map[string]any{
			"description": "The response has the entity tag of If-None-Match."}
	}
	if slices.Contains(o.Parameters, "dryRun") {
		all["200"] = good
	}
	byStatus := map[int][]httpapi.ProblemType{}
	for _, p := range o.problems(read) {
		byStatus[p.Status] = append(byStatus[p.Status], p)
	}
	for status, some := range byStatus {
		all[strconv.Itoa(status)] = problemResponse(some)
	}
	if o.Body == "Observations" {
		all["503"] = map[string]any{"description": d.withRepeatNote("The outcome of some observations is unknown."),
			"content": jsonContent(ref("schemas", o.Result))}
	}
	return all
}

// content returns the schema of the result in each of its formats.
func (d describer) content(result string) map[string]any {
	content := jsonContent(ref("schemas", result))
	if d.row.List {
		content[views.FormatNDJSON.Type] = map[string]any{"schema": schema{"type": "string"}}
		content[views.FormatCSV.Type] = map[string]any{"schema": schema{"type": "string"}}
	}
	return content
}

func jsonContent(of any) map[string]any {
	return map[string]any{views.FormatJSON.Type: map[string]any{"schema": of}}
}

// problemResponse describes the problems of one status by their types.
func problemResponse(problems []httpapi.ProblemType) map[string]any {
	titles := map[string]string{}
	for _, p := range problems {
		titles[p.URI] = p.Title
	}
	var types []any
	var lines []string
	for _, uri := range slices.Sorted(maps.Keys(titles)) {
		types = append(types, uri)
		lines = append(lines, titles[uri]+" ("+strings.TrimPrefix(uri, "/problems/")+").")
	}
	body := map[string]any{"allOf": []any{ref("schemas", "Problem"),
		schema{"properties": schema{"type": schema{"enum": types}}}}}
	return map[string]any{
		"description": strings.Join(lines, " "),
		"content":     map[string]any{"application/problem+json": map[string]any{"schema": body}},
	}
}
