package examples

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// send sends a point in InfluxDB line protocol, again while it may not be stored. It is an example
// to copy: the point has a time, so that it is stored once.
func send(url, token, line string) error {
	for wait := time.Second; ; wait *= 2 {
		req, err := http.NewRequest("POST", url+"/api/v2/write?bucket=any&precision=s", strings.NewReader(line))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Token "+token)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			switch {
			case resp.StatusCode == http.StatusNoContent:
				return nil
			case resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusTooManyRequests:
				return fmt.Errorf("%s: sending the point again does not help", resp.Status)
			}
		}
		time.Sleep(wait)
	}
}

func TestGo_SendsAPoint(t *testing.T) {
	url := start(t)
	if err := send(url, "any",
		fmt.Sprintf("room,host=go,sensor=door temperature=22.4 %d", time.Now().Unix())); err != nil {
		t.Fatal(err)
	}
	if got := fields(t, url, "go", "room,sensor=door"); len(got) != 1 || got[0]["temperature"] != 22.4 {
		t.Errorf("the events are %v, want one of 22.4 degrees", got)
	}
	if err := send(url, "any", "room,host=go temperature=warm"); err == nil ||
		!strings.Contains(err.Error(), "400") {
		t.Errorf("send = %v, want the status of a point that is no number", err)
	}
}
