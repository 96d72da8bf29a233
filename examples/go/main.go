// Command go sends a point in InfluxDB line protocol, again while it may not be stored.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	line := fmt.Sprintf("room,host=go,sensor=door temperature=22.4,humidity=45 %d", time.Now().Unix())
	for wait := time.Second; !sent(line); wait *= 2 {
		time.Sleep(wait)
	}
}

func sent(line string) bool {
	req, err := http.NewRequest("POST", os.Getenv("TIDEMARK_URL")+"/api/v2/write?bucket=any&precision=s", strings.NewReader(line))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Token "+os.Getenv("TIDEMARK_TOKEN"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	if resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusTooManyRequests {
		log.Fatalf("%s: sending the point again does not help", resp.Status)
	}
	return resp.StatusCode == http.StatusNoContent
}
