package bench

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// childFlag is the flag of the process whose memory is measured.
const childFlag = "child"

// settleLargest processes a batch of 6 MB, from payload to response, three times. It
// runs in a child process.
func settleLargest() {
	payload := streamPayload(7400, 1000, fixed)
	server := &service{events: eventsPage(hourOfEvents("sensor_0001", 60))}
	a := aggregator(dynamo.New(server.client(), "tidemark"))
	var d tablestream.Decoder
	for range 3 {
		settleOurs(&d, a, payload)
	}
	fmt.Println(len(payload), field("/proc/self/status", `(?m)^VmHWM:\s*(\d+) kB`))
}

func footprint(options) *section {
	s := &section{
		title: "Memory",
		intro: "Peak resident memory of a process of its own that processes the largest batch Lambda sends three times: 6 MB, 1,000 " +
			"series, each hour with 60 events, 64 concurrent recomputations.",
		head: []string{"batch", "peak"},
	}
	out, err := exec.Command(must(os.Executable()), "bench", "--"+childFlag).Output()
	if err != nil {
		s.note("Not measured: %v", err)
		return s
	}
	var bytes, kb int
	if _, err := fmt.Sscan(string(out), &bytes, &kb); err != nil {
		s.note("Not measured: %v", err)
		return s
	}
	s.row(fmt.Sprintf("%.2f MB", float64(bytes)/1e6), fmt.Sprintf("%d MB", kb>>10))
	s.goal(kb>>10 < 256, "a 6 MB batch in under 256 MB", "%d MB", kb>>10)
	return s
}
