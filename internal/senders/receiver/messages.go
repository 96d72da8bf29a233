package receiver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/messages"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// Messages serves POST /sources/{source}: messages in JSON, or forms, that a row of sources or a preset maps,
// as webhooks send them. It responds as Lines does.
func (r *Receiver) Messages(ctx context.Context, q *httpapi.Request) httpapi.Response {
	by, batch, subject, problem := r.messages(q)
	if problem != nil {
		r.Rejected(q, problem)
		return r.lineProblem(problem)
	}
	return r.lineResponse(r.append(ctx, q, by, batch, subject))
}

// messages decodes a request. The parameter subject names the subject of messages that do not.
func (r *Receiver) messages(
	q *httpapi.Request,
) (by access.Scope, batch []points.Point, subject string, problem *httpapi.Problem) {
	if by, problem = writer(q); problem != nil {
		return by, nil, "", problem
	}
	source, errSource := url.PathUnescape(strings.TrimPrefix(q.Path, access.PathSources))
	parameters, errQuery := url.ParseQuery(q.RawQuery)
	if err := errors.Join(errSource, errQuery); err != nil {
		return by, nil, "", httpapi.ProblemQuery.New("%v: escape it as a URL", err)
	}
	row, err := r.Mapping.Named(source)
	if err != nil {
		return by, nil, "", httpapi.ProblemNotFound.New("%v", err)
	}
	body, problem := q.Bytes(r.Limits)
	if problem != nil {
		return by, nil, "", problem
	}
	contentType, _, _ := mime.ParseMediaType(q.Header("Content-Type"))
	isForm := contentType == "application/x-www-form-urlencoded"
	if inURL := formInURL(q.RawQuery); len(bytes.TrimSpace(body)) == 0 && inURL != "" {
		body, isForm = []byte(inURL), true
	}
	batch, err = messages.Decode(body, messages.Options{
		Source: source, Row: row, Now: r.Service.Now().Time(), Points: r.Limits.Observations,
		Lines: contentType == "application/x-ndjson",
		Form:  isForm,
	})
	switch err = cmp.Or(err, r.checkParts(batch)); {
	case errors.Is(err, ingest.ErrTooMany):
		problem = httpapi.ProblemTooLarge.New("%v; nothing was stored", err)
	case err != nil:
		problem = httpapi.ProblemBody.New("%v; nothing was stored", err)
	}
	return by, batch, parameters.Get("subject"), problem
}

// formInURL returns the parameters of a request apart from the subject. Without a body they are the message,
// as weather stations send it by the protocol of Weather Underground.
func formInURL(query string) string {
	pairs := strings.Split(query, "&")
	isSubject := func(pair string) bool { return strings.HasPrefix(pair, "subject=") }
	return strings.Join(slices.DeleteFunc(pairs, isSubject), "&")
}
