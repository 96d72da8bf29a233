package bench

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// plainEnv is internal/api/awsenv written with the SDK's config package.
const plainEnv = `package awsenv

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
)

var (
	ErrNoRegion      = errors.New("no region")
	ErrNoCredentials = errors.New("no credentials")
)

func Config(string) (aws.Config, error) { return config.LoadDefaultConfig(context.Background()) }

func HTTPClient() aws.HTTPClient { return awshttp.NewBuildableClient() }
`

// emptyMain is a function that does nothing: the minimum of every start.
const emptyMain = `package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
)

func main() { lambda.Start(func(context.Context, any) (any, error) { return nil, nil }) }
`

// recipe says how to build a function's binary.
type recipe struct {
	flags   []string
	overlay map[string]string // sources that replace files of the repository
}

// asDeployed are the Makefile's build flags.
var asDeployed = []string{"-trimpath", "-buildvcs=false", "-tags", "lambda.norpc", "-ldflags", "-s -w"}

// recipes are the recipes of the contenders.
var recipes = [...]recipe{
	{flags: asDeployed},
	{flags: asDeployed, overlay: map[string]string{"internal/api/awsenv/awsenv.go": plainEnv}},
	{overlay: map[string]string{"internal/api/awsenv/awsenv.go": plainEnv}},
}

// build builds a function's binary for a platform.
func (r recipe) build(o options, function, to, arch string) error {
	dir, err := os.MkdirTemp("", "overlay")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := r.overlayIn(dir, o.root)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", slices.Concat([]string{"build", "-o", to, "-overlay", overlay}, r.flags,
		[]string{"./functions/" + function})...)
	cmd.Dir = o.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", function, err, out)
	}
	return nil
}

// overlayIn writes the sources into dir, with the overlay file that maps them to the
// files they replace.
func (r recipe) overlayIn(dir, root string) (path string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, source := range r.overlay {
		replace[filepath.Join(root, file)] = filepath.Join(dir, "source.go")
		if err := os.WriteFile(filepath.Join(dir, "source.go"), []byte(source), 0o600); err != nil {
			return "", err
		}
	}
	overlay, _ := json.Marshal(map[string]any{"Replace": replace})
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

// secrets replace the secrets that a function reads from Secrets Manager at its start,
// because that request is not the function's own work.
var secrets = map[string]string{
	"authorize": "TIDEMARK_ENDPOINT=http://127.0.0.1:1", // the local stack's
	"pages":     `TIDEMARK_SIGN_IN={"issuer":"https://login.example.com","client":"pages","scope":"openid"}`,
	"query":     "TIDEMARK_CURSOR_KEY=a-text-that-signs-no-real-cursors",
}

// ready returns the duration from a function's start to its first request for work.
func ready(binary, secret string) (time.Duration, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	called := make(chan time.Time, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" { // DynamoDB: the table has no configuration
			fmt.Fprint(w, "{}")
			return
		}
		if strings.HasSuffix(r.URL.Path, "/invocation/next") {
			select {
			case called <- time.Now():
			default:
			}
		}
		<-r.Context().Done()
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(), "AWS_REGION=eu-central-1",
		"AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret", "AWS_SESSION_TOKEN=token",
		"TIDEMARK_TABLE=tidemark", "AWS_LAMBDA_FUNCTION_NAME=bench", "AWS_EC2_METADATA_DISABLED=true",
		"TIDEMARK_ENDPOINT=http://" + listener.Addr().String(), secret}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case at := <-called:
		_ = cmd.Process.Kill()
		<-ended
		return at.Sub(began), nil
	case err := <-ended:
		return 0, fmt.Errorf("%s ended before it was ready: %v\n%s", binary, err, said.String())
	}
}

// zipped returns the size of a file in a deployment package.
func zipped(path string) (int64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	var n counter
	w := zip.NewWriter(&n)
	entry, err := w.Create("bootstrap")
	if err == nil {
		_, err = io.Copy(entry, in)
	}
	if err == nil {
		err = w.Close()
	}
	return int64(n), err
}

type counter int64

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// starts measures n starts of each binary of a function, in turn.
func starts(binaries []string, secret string, n int) ([][]float64, error) {
	ms := slices.Repeat([][]float64{nil}, len(binaries))
	for round := range n {
		for i := range binaries {
			at := (i + round) % len(binaries)
			took, err := ready(binaries[at], secret)
			if err != nil {
				return nil, err
			}
			ms[at] = append(ms[at], float64(took.Microseconds())/1e3)
		}
	}
	return ms, nil
}

func starting(o options) *section {
	s := &section{
		title: "Cold start and size",
		intro: "From exec to the first request for work, with a Runtime API and an empty table in the " +
			"measuring process. Compared are each function's binary; the same function with the SDK's " +
			"`config.LoadDefaultConfig` instead of `internal/api/awsenv` (a build overlay); and " +
			"that function built by a plain `go build`, without the Makefile's tag and flags. The zip " +
			"contains the arm64 binary.",
		head: []string{"function", "ours, ms (range)", "LoadDefaultConfig, ms (range)",
			"the same by a plain `go build`, ms (range)", "ours / LoadDefaultConfig", "ours / plain", "zip",
			"zip of LoadDefaultConfig", "zip of plain"},
	}
	functions := must(filepath.Glob(filepath.Join(o.root, "functions", "*", "main.go")))
	dir := must(os.MkdirTemp("", "coldstart"))
	defer os.RemoveAll(dir)
	cell := func(all []float64) string {
		return fmt.Sprintf("%s (%s–%s)", short(median(all)), short(least(all)), short(most(all)))
	}
	for _, main := range functions {
		name := filepath.Base(filepath.Dir(main))
		row, binaries := []string{name}, []string(nil)
		var zips [len(recipes)]string
		var size int64
		for i := range recipes {
			local, arm := filepath.Join(dir, fmt.Sprint(name, i)), filepath.Join(dir, fmt.Sprint(name, i, "-arm64"))
			check(recipes[i].build(o, name, local, runtime.GOARCH))
			check(recipes[i].build(o, name, arm, "arm64"))
			n := must(zipped(arm))
			if i == 0 {
				size = n
			}
			binaries, zips[i] = append(binaries, local), fmt.Sprintf("%.2f MB", float64(n)/1e6)
		}
		ms, err := starts(binaries, cmp.Or(secrets[name], "HOME=/"), 5*o.rounds)
		if err != nil {
			s.note("The start of %s was not measured: it ended before it was ready.", name)
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		for _, all := range ms {
			row = append(row, cell(all))
		}
		same, plain := median(ms[0])/median(ms[1]), median(ms[0])/median(ms[2])
		s.row(append(append(row, short(same), short(plain)), zips[:]...)...)
		s.goal(plain <= 0.75, name+": exec to ready ≤ 0.75 × the plain LoadDefaultConfig build", "%s ×",
			short(plain))
		s.goal(same <= 0.75, name+": exec to ready ≤ 0.75 × LoadDefaultConfig with our flags", "%s ×", short(same))
		s.goal(size <= 4_500_000, name+": zip ≤ 4.5 MB", "%s", zips[0])
	}
	empty := filepath.Join(dir, "empty")
	check(recipe{flags: asDeployed, overlay: map[string]string{"functions/empty/main.go": emptyMain}}.build(o,
		"empty", empty, runtime.GOARCH))
	ms, err := starts([]string{empty}, "HOME=/", 5*o.rounds)
	check(err)
	s.row("a function that does nothing", cell(ms[0]), "", "", "", "", "", "", "")
	s.note("A function that does nothing already takes most of each time: the process, Go's runtime, the first request for work. Of " +
		"the rest, the SDK's DynamoDB schemas take half a millisecond in every build that reads a table, and query also links " +
		"the client of Secrets Manager. Each function also reads the table's configuration, in every build. With the same flags, only what `config.LoadDefaultConfig` links and looks up can be " +
		"saved, a fixed amount. Tried: parse names, durations and sizes without regular expressions (kept: an expression with a " +
		"count of 64 took 0.2 ms to compile); compile other expressions at first use (kept). Creating the client at the first " +
		"call was not tried, since that call would wait for it.")
	return s
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
