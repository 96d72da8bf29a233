package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"
)

// fake is a function that records deliveries. Its responses are by number of invocation.
type fake struct {
	delivered []string
	answer    func(n int) ([]byte, error)
	aims      map[int]Moment // set before the invocation of that number
}

func (f *fake) Invoke(_ context.Context, payload []byte) ([]byte, error) {
	f.delivered = append(f.delivered, string(payload))
	if f.answer == nil {
		return []byte(`{"batchItemFailures":[]}`), nil
	}
	return f.answer(len(f.delivered))
}

func (f *fake) KillNext(at Moment) {
	if f.aims == nil {
		f.aims = map[int]Moment{}
	}
	f.aims[len(f.delivered)+1] = at
}

func records(n int) []byte {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"n":%d}`, i)
	}
	return []byte(`{"Records":[` + strings.Join(list, ",") + `]}`)
}

func TestDelivery_WithoutFaultsDoesNotChangeBatches(t *testing.T) {
	f := &fake{}
	d := &delivery{function: f}
	for range 50 {
		if _, err := d.invoke(t.Context(), records(3)); err != nil {
			t.Fatal(err)
		}
	}
	for _, got := range f.delivered {
		if got != string(records(3)) {
			t.Errorf("delivered %s", got)
		}
	}
	if n := d.invocations.Load(); n != 50 || len(f.delivered) != 50 {
		t.Errorf("%d invocations for 50 batches", n)
	}
}

func TestDelivery_FaultsHaveTheirRateAndDependOnTheSeed(t *testing.T) {
	run := func(seed uint64) (string, int64, int64) {
		f := &fake{}
		d := &delivery{function: f, faults: Faults{Seed: seed, Again: 20, Recut: 10}}
		for range 2000 {
			if _, err := d.invoke(t.Context(), records(10)); err != nil {
				t.Fatal(err)
			}
		}
		return strings.Join(f.delivered, "\n"), d.again.Load(), d.recut.Load()
	}
	first, again, recut := run(1)
	if again < 70 || again > 130 || recut < 150 || recut > 250 {
		t.Errorf("of 2,000 batches %d were delivered again and %d in pieces, want about 100 and 200", again, recut)
	}
	if second, _, _ := run(1); second != first {
		t.Error("two runs from one seed differ")
	}
	if other, _, _ := run(2); other == first {
		t.Error("two seeds give the same run")
	}
}

// The page of faults sets one for the next batch of its device, and shows what a counter of records would
// count.
func TestDelivery_HasTheFaultThatThePageRequests(t *testing.T) {
	t.Parallel()
	const record = `{"dynamodb":{"Keys":{"pk":{"S":"DEVICE#one"}}}}`
	own := []byte(`{"Records":[` + record + "," + record + `]}`)
	for _, row := range []struct {
		fault      string
		deliveries int
		least      int64 // pieces of a batch need not overlap
	}{{"none", 1, 2}, {"again", 2, 4}, {"recut", 2, 2}, {"kill", 1, 2}, {"throttle", 1, 2}} {
		f := &fake{}
		s := &Stack{delivery: &delivery{function: f}}
		s.delivery.throttle = s.throttle.begin
		for _, device := range []string{"another", "one"} {
			if got := requestFault(t, s, device, row.fault); got != http.StatusAccepted {
				t.Fatalf("%s: status %d", row.fault, got)
			}
		}
		for _, payload := range [][]byte{records(2), own, records(2)} {
			if _, err := s.delivery.invoke(t.Context(), payload); err != nil {
				t.Fatal(err)
			}
		}
		if n, counted := len(f.delivered)-2, s.delivery.counted.Load(); n != row.deliveries || counted < row.least {
			t.Errorf("%s: %d deliveries of the device's batch, %d records counted; want %d and at least %d", row.fault,
				n, counted, row.deliveries, row.least)
		}
		if at, killed := f.aims[2]; killed != (row.fault == "kill") || killed && at != Responding {
			t.Errorf("%s: killed %v at %s", row.fault, killed, at)
		}
		if throttled := s.throttle.until.Load() > 0; throttled != (row.fault == "throttle") {
			t.Errorf("%s: the table is throttled: %t", row.fault, throttled)
		}
		requestFault(t, s, "another", "none")
		if counted := s.delivery.counted.Load(); counted != 0 {
			t.Errorf("%s: %d records counted of a new device", row.fault, counted)
		}
		if got := requestFault(t, s, "one", "lose"); got != http.StatusNotFound {
			t.Errorf("a fault that does not exist: status %d, want 404", got)
		}
	}
}

// The SDK must take the refusal for a throttle, and the table must be back after it.
func TestThrottle_RefusesRequestsForAWhile(t *testing.T) {
	t.Parallel()
	var th throttle
	asked := 0
	th.table = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		io.WriteString(w, `{"TableNames":[]}`)
	})
	front := httptest.NewServer(&th)
	defer front.Close()
	client := dynamodb.New(dynamodb.Options{BaseEndpoint: &front.URL, Region: Region, RetryMaxAttempts: 1,
		Credentials: credentials})
	list := func() error { _, err := client.ListTables(t.Context(), nil); return err }
	th.begin()
	if err, throttled := list(), new(types.ProvisionedThroughputExceededException); !errors.As(err,
		&throttled) || asked != 0 || th.refused.Load() != 1 {
		t.Errorf("a throttled request returned %v; the table was asked %d times, %d refused", err, asked,
			th.refused.Load())
	}
	th.until.Store(time.Now().UnixMilli())
	if err := list(); err != nil || asked != 1 || th.refused.Load() != 1 {
		t.Errorf("after it: %v, the table was asked %d times", err, asked)
	}
}

func requestFault(t *testing.T, s *Stack, device, fault string) int {
	t.Helper()
	w := httptest.NewRecorder()
	s.localRoutes(t.Context(), nil).ServeHTTP(w,
		httptest.NewRequest(http.MethodPost, "/local/break/"+device+"/"+fault, nil))
	return w.Code
}

func TestCut_CoversEveryRecordInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "records")
		draw := drawFrom(rapid.Uint64().Draw(t, "seed"), 1)
		pieces, err := cut(draw, records(n))
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, piece := range pieces {
			var b struct{ Records []struct{ N int } }
			if err := json.Unmarshal(piece, &b); err != nil || len(b.Records) == 0 {
				t.Fatalf("piece %s: %v", piece, err)
			}
			if b.Records[0].N > next {
				t.Fatalf("records %d to %d are missing", next, b.Records[0].N-1)
			}
			for i, r := range b.Records {
				if r.N != b.Records[0].N+i {
					t.Fatalf("piece %s is out of order", piece)
				}
			}
			next = max(next, b.Records[len(b.Records)-1].N+1)
		}
		if next != n {
			t.Fatalf("%d of %d records delivered", next, n)
		}
	})
}

func TestDelivery_StopsAfterAPieceThatWasNotAcknowledged(t *testing.T) {
	for name, answer := range map[string]func(int) ([]byte, error){
		"error":   func(int) ([]byte, error) { return nil, errors.New("killed") },
		"failure": func(int) ([]byte, error) { return []byte(`{"batchItemFailures":[{"itemIdentifier":"7"}]}`), nil },
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{answer: answer}
			d := &delivery{function: f, faults: Faults{Again: 1, Recut: 1}}
			got, err := d.invoke(t.Context(), records(5))
			want, wantErr := answer(1)
			if string(got) != string(want) || (err == nil) != (wantErr == nil) || len(f.delivered) != 1 ||
				d.failed.Load() != 1 {
				t.Errorf("response %s, %v after %d pieces; want the first piece's", got, err, len(f.delivered))
			}
		})
	}
}

func TestDelivery_TapReceivesEveryPayload(t *testing.T) {
	var tapped []string
	f := &fake{}
	d := &delivery{function: f, faults: Faults{Seed: 3, Again: 2, Recut: 2}, tap: func(p []byte) {
		tapped = append(tapped, string(p))
	}}
	for range 20 {
		if _, err := d.invoke(t.Context(), records(4)); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Join(tapped, "\n") != strings.Join(f.delivered, "\n") || len(tapped) <= 20 {
		t.Errorf("tapped %d payloads, delivered %d", len(tapped), len(f.delivered))
	}
}

func TestDelivery_KillsOccurInTheirBatch(t *testing.T) {
	f := &fake{}
	d := &delivery{function: f,
		faults: Faults{Kills: []Shot{{Batch: 2, At: Responding}, {Batch: 4, At: Running}}}}
	for i := range 5 {
		if _, err := d.invoke(t.Context(), records(1)); err != nil {
			t.Fatal(strconv.Itoa(i), err)
		}
	}
	if len(f.aims) != 2 || f.aims[2] != Responding || f.aims[4] != Running {
		t.Errorf("kills were set at %v, want batches 2 and 4", f.aims)
	}
}
