package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// things serves a batch of an IoT rule's HTTP action, whose role the API has authorized. AWS IoT repeats the
// request if the response has status 5xx, and then sends the batch to the undelivered queue. The messages
// name any thing, so no wider route than this one is served, and no request without a signature.
func (h *handler) things(ctx context.Context, r *httpapi.Request) httpapi.Response {
	if !r.Route.Is("POST", envelope.PathMessages) || r.UserARN == "" {
		return httpapi.ProblemNotFound.New("%.200q is for the rules of AWS IoT, which sign their requests",
			r.Path).Response()
	}
	body, problem := r.Bytes(h.appends.Limits)
	if problem != nil {
		h.reporter.rejected(envelope.IoT, r.ID, problem)
		return problem.Response()
	}
	counts, err := h.appendThings(ctx,
		envelope.FromThings(body, r.ID, h.defaultKind, h.appends.Limits.Observations))
	if err != nil {
		return httpapi.ProblemUnavailable.New(
			"some messages may not be stored: send the batch again; nothing is stored twice").Response()
	}
	return httpapi.JSON(http.StatusOK, counts)
}

// confirmWithin limits the request of a confirmation: anybody can cause one.
const confirmWithin = 3 * time.Second

// problemConfirmation is the problem of a confirmation that AWS IoT did not accept.
var problemConfirmation = httpapi.ProblemType{
	URI: "/problems/confirmation", Title: "The address could not be visited",
	Status: http.StatusServiceUnavailable,
}

// confirmation is the address of the confirmation in any region and partition.
var confirmation = regexp.MustCompile(
	`^https://iot\.[a-z0-9-]+\.amazonaws\.com(\.cn)?/confirmdestination/[A-Za-z0-9_%=-]+$`)

// confirm serves the request by which AWS IoT asks whether the API accepts the requests of rules: it visits
// the address in the request. Anybody can send one, so that only addresses of AWS IoT are visited. A rule of
// another account whose destination is confirmed in this way cannot send: that needs a role of this one.
func (h *handler) confirm(ctx context.Context, r *httpapi.Request) httpapi.Response {
	if r.Path == envelope.PathMessages {
		return httpapi.ProblemNotFound.New("%.200q is for the rules of AWS IoT", r.Path).Response()
	}
	body, problem := r.Bytes(h.appends.Limits)
	if problem != nil {
		return problem.Response()
	}
	var in struct {
		EnableURL string `json:"enableUrl"`
	}
	if json.Unmarshal(body, &in) != nil || !confirmation.MatchString(in.EnableURL) {
		return httpapi.ProblemBody.New(
			"this is not a confirmation request of AWS IoT: want enableUrl with its address").Response()
	}
	if err := h.visit(ctx, in.EnableURL); err != nil {
		return problemConfirmation.New("AWS IoT did not accept it: let it send another request").Response()
	}
	return httpapi.JSON(http.StatusOK, struct{}{})
}

func (h *handler) visit(ctx context.Context, address string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := h.client.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it is not read
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}
