package adopt

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A stream keeps a change for a day. At the moment of the backup, changes of a day may wait, and those
// that arrived in the day before may have been waiting in the stream's consumer.
func TestCheckWindow_IsTwoDays(t *testing.T) {
	if CheckWindow != 48*time.Hour {
		t.Errorf("the window is %s, want 48h", CheckWindow)
	}
}

func TestProtect_PreventsDeletionOnlyIfTheStageRetainsItsTable(t *testing.T) {
	for removal, want := range map[config.Removal]string{
		config.Retain: `"DeletionProtectionEnabled":true`, config.Destroy: `"DeletionProtectionEnabled":false`,
	} {
		var got string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".UpdateTable") {
				got = string(body)
			}
			fmt.Fprint(w, "{}")
		}))
		client, err := dynamo.NewClient(t.Context(), "", server.URL)
		if err != nil {
			t.Fatal(err)
		}
		err = Protect(t.Context(), client, "copy",
			config.Stage{Name: "s", Removal: removal, Table: "arn:aws:dynamodb:eu-west-1:123456789012:table/copy"})
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: UpdateTable %s, %v; want %s", removal, got, err, want)
		}
		server.Close()
	}
}

func TestProtect_GivesATableWhatAStackGivesItsOwn(t *testing.T) {
	const arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/copy"
	stage := config.Stage{Name: "prod", Removal: config.Retain, Table: arn + "/stream/2026-11-24T07:00:00.000"}
	for _, refused := range []string{"", "TagResource", "UpdateContinuousBackups", "UpdateTable"} {
		var got []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
			body, _ := io.ReadAll(r.Body)
			got = append(got, operation+" "+string(body))
			if operation == refused {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"__type":"AccessDeniedException","message":"refused"}`)
				return
			}
			fmt.Fprint(w, "{}")
		}))
		client, err := dynamo.NewClient(t.Context(), "", server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if err := Protect(t.Context(), client, "copy", stage); (err != nil) != (refused != "") {
			t.Errorf("%q refused: %v", refused, err)
		}
		all := strings.Join(got, "\n")
		for _, want := range []string{"TagResource", `"ResourceArn":"` + arn + `"`, `"Value":"prod"`,
			"UpdateContinuousBackups", `"PointInTimeRecoveryEnabled":true`, "UpdateTable", `"DeletionProtectionEnabled":true`} {
			if !strings.Contains(all, want) {
				t.Errorf("%q refused: no %s in %s", refused, want, all)
			}
		}
		server.Close()
	}
}

func TestNewestArrival_IsThatOfTheLastEventToArrive(t *testing.T) {
	table := memory.New(func() model.Time { return 0 })
	if got, err := NewestArrival(t.Context(), table); got != 0 || err != nil {
		t.Errorf("of an empty table: %s, %v; want 0", got, err)
	}
	begin := model.Time(1_776_695_400_000) // 2026-04-20T14:30:00Z
	for i, late := range []time.Duration{0, 3 * time.Hour, time.Hour} {
		e := model.Event{
			Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"},
			Order:  model.Order{At: begin.Add(time.Duration(i) * time.Minute)}, ArrivedAt: begin.Add(late),
		}
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := NewestArrival(t.Context(), table); got != begin.Add(3*time.Hour) || err != nil {
		t.Errorf("got %s, %v; want %s", got, err, begin.Add(3*time.Hour))
	}
}
