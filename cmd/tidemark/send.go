package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// sendFlags are what an event has in addition to its subject and fields.
type sendFlags struct{ kind, stream, at, id string }

const sendHelp = `Send one event, such as a reading of a device

Send one event with the time of now, and print its outcome: applied, late (older than the
latest), duplicate (stored before), or what was not stored and why. Numbers, true and false
are sent as such; FIELD:=JSON and FIELD=TEXT are as in "tidemark event correct".

The event is sent to the HTTP API of the "tidemark dev" that is found, or to --url. To send
many events, use "tidemark import".

Exit status: 0 stored; 1 not stored; 2 wrong usage, or the API rejected the event; 3 failed.

Examples:
  tidemark send devices/sensor_01 temperature=22.4
  tidemark send devices/sensor_01 temperature=22.4 note='new battery' --at 2026-11-01T14:00:00Z`

func sendCommand(to *connection) *cobra.Command {
	var f sendFlags
	cmd := &cobra.Command{Use: "send SUBJECT FIELD=VALUE…", Long: sendHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			return send(cmd, to, f, args)
		}}
	cmd.Flags().StringVar(&f.kind, "kind", "",
		"`kind` of event, by name or plural; required if the subject has several kinds")
	cmd.Flags().StringVar(&f.stream, "stream", "", "`stream` of the series (default: events without a stream)")
	cmd.Flags().StringVar(&f.at, "at", "", "`time` of the event, such as 2026-11-01T14:00:00Z (default: now)")
	cmd.Flags().StringVar(&f.id, "id", "",
		"`id` of the event, so that another event of the same millisecond is stored too")
	return cmd
}

func send(cmd *cobra.Command, to *connection, f sendFlags, args []string) error {
	if err := to.NeedURL(); err != nil {
		return err
	}
	kinds, err := to.Catalog()
	if err != nil {
		return err
	}
	if f.at == "" || f.at == "now" {
		f.at = wallClock().String()
	}
	kind, key, err := arguments.Event(kinds, args[0], f.kind, f.stream, f.at, f.id)
	if err != nil {
		return err
	}
	if id, more := strings.CutSuffix(key.Series.Subject.ID, "/"+kind.Path); more { // as in a route of the API
		fmt.Fprintf(cmd.ErrOrStderr(), "tidemark: %s is the id of the subject, with /%s; another one is %s\n",
			key.Series.Subject.ID, kind.Path, id)
	}
	measures := lists.Map(kind.Measures, func(m rollup.MeasureSpec) string { return m.Name })
	attrs, err := arguments.Values(args[1:], measures)
	if err != nil {
		return err
	}
	for _, a := range attrs {
		if best := names.Closest(a.Name, measures); best != "" && best != a.Name {
			fmt.Fprintf(cmd.ErrOrStderr(),
				"tidemark: %s is stored as a field of that name; the declared measure is %s\n", a.Name, best)
		}
	}
	result, err := postEvent(cmd, to, kind, observation(kind, key, attrs))
	if err != nil {
		return err
	}
	return printSent(cmd, arguments.SubjectText(key.Series.Subject, kinds), key.At, result)
}

// sendResult is what is read of the response: a part of httpapi.AppendResult.
type sendResult struct {
	Outcome model.Outcome `json:"outcome"`
	Invalid []string      `json:"invalid"`
	Detail  string        `json:"detail"`
}

// observation returns an event as senders send it.
func observation(kind *catalog.Kind, key model.EventKey, attrs model.Attrs) map[string]any {
	o := map[string]any{kind.Subject.Field: key.Series.Subject.ID, catalog.TimeField: key.At.String()}
	if key.Series.Stream != "" {
		o[catalog.StreamField] = key.Series.Stream
	}
	if key.ID != "" {
		o[catalog.IDField] = key.ID
	}
	for _, a := range attrs {
		if a.Value.Kind == model.Text {
			o[a.Name] = a.Value.Text
		} else {
			o[a.Name] = json.RawMessage(a.Value.String())
		}
	}
	return o
}

// postEvent sends one observation and returns its outcome.
func postEvent(
	cmd *cobra.Command, to *connection, kind *catalog.Kind, o map[string]any,
) (result sendResult, err error) {
	body, err := json.Marshal(o)
	if err != nil {
		return result, err
	}
	client, err := to.HTTPClient(cmd.Context())
	if err != nil {
		return result, err
	}
	url := to.URL + "/v1/" + kind.Path
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return result, usagef("--url: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return result, notKnownSent(to.URL, o, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return result, notKnownSent(to.URL, o, err)
	}
	err = readOutcome(resp, text, &result)
	return result, err
}

// notKnownSent returns the error of a request without a whole response. If the request was sent, the event
// may be stored, and with its time it is the same event when it is sent again.
func notKnownSent(url string, o map[string]any, err error) error {
	var connecting *net.OpError
	if errors.As(err, &connecting) && connecting.Op == "dial" {
		return fmt.Errorf(
			"send the event: %w; check that Tidemark runs there, or change --url or TIDEMARK_URL", err)
	}
	return fmt.Errorf("send the event: %w; check that Tidemark runs at %s. The event may be stored: to send "+
		"it again and store it once, add --at %s", err, url, o[catalog.TimeField])
}

// readOutcome reads the outcome of one observation. A problem without an outcome is an error; a rejected
// observation is one of usage.
func readOutcome(resp *http.Response, text []byte, result *sendResult) error {
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal(text, result); err != nil || result.Outcome == "" {
			return fmt.Errorf("%s returned no outcome: is this the URL of Tidemark's HTTP API?", resp.Request.URL)
		}
		return nil
	}
	var problem struct {
		Outcome model.Outcome `json:"outcome"`
		Detail  string        `json:"detail"`
	}
	if json.Unmarshal(text, &problem) != nil || problem.Detail == "" {
		return replay.Refusal(resp.Request.URL.String(), resp, text)
	}
	if problem.Outcome != "" && problem.Outcome != model.Rejected {
		result.Outcome, result.Detail = problem.Outcome, problem.Detail
		return nil
	}
	if resp.StatusCode == http.StatusBadRequest {
		return usagef("%s", problem.Detail)
	}
	return fmt.Errorf("%s: %s", resp.Status, problem.Detail)
}

// printSent prints what became of the event. The exit status is exitNo if it was not stored.
func printSent(cmd *cobra.Command, subject string, at model.Time, result sendResult) error {
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s\n", subject, at, result.Outcome)
	if len(result.Invalid) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "tidemark: not a number, so rollups count it as invalid: %s\n",
			strings.Join(result.Invalid, ", "))
	}
	switch result.Outcome {
	case model.Applied, model.Late, model.Duplicate:
		return nil
	case model.Collision:
		return no(cmd.ErrOrStderr(), "not stored: an event with this time and id has other fields: "+
			"change it with \"tidemark event correct %s %s FIELD=VALUE\", or pass --id to store both", subject, at)
	}
	if result.Detail != "" {
		return no(cmd.ErrOrStderr(), "not stored: %s", result.Detail)
	}
	return checkFailed
}
