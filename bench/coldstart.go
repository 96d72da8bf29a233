package main

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
	"strings"
	"time"
)

// plainEnv is pkg/awsenv as the SDK's config package would have it.
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

// build makes a function's binary as the Makefile does, for this machine or another;
// plain has the SDK's config package linked and asked.
func build(o options, function, to, arch string, plain bool) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", to}
	if plain {
		dir, err := os.MkdirTemp("", "plain")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		source := filepath.Join(dir, "awsenv.go")
		root, err := filepath.Abs(o.root)
		if err != nil {
			return err
		}
		overlay, _ := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "pkg/awsenv/awsenv.go"): source}})
		if err := os.WriteFile(source, []byte(plainEnv), 0o600); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
			return err
		}
		args = append(args, "-overlay", filepath.Join(dir, "overlay.json"))
	}
	cmd := exec.Command("go", append(args, "./functions/"+function)...)
	cmd.Dir = o.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", function, err, out)
	}
	return nil
}

// secrets stand in for those that a function reads from Secrets Manager before it is
// ready: a round trip that is no work of its own.
var secrets = map[string]string{
	"authorize": "TIDEMARK_ENDPOINT=http://127.0.0.1:1", // the laptop's
	"query":     "TIDEMARK_CURSOR_KEY=a-text-that-signs-cursors-of-nobody",
}

// ready is how long a function takes from its start to its first call for work.
func ready(binary, secret string) (time.Duration, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	called := make(chan time.Time, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
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
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(), "AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=id",
		"AWS_SECRET_ACCESS_KEY=secret", "AWS_SESSION_TOKEN=token", "TIDEMARK_TABLE=tidemark", "AWS_LAMBDA_FUNCTION_NAME=bench", "AWS_EC2_METADATA_DISABLED=true", secret}
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

// zipped is how large a file is in a deployment package.
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

func starting(o options) *section {
	s := &section{
		title: "Cold start and size",
		intro: "From exec to the first call for work, under a Runtime API in the process, of each function's binary and of the same function with the SDK's " +
			"`config.LoadDefaultConfig` in place of `pkg/awsenv` (by a build overlay). The zip is that of the arm64 binary.",
		head: []string{"function", "ours, ms (range)", "LoadDefaultConfig, ms (range)", "ours / theirs", "zip", "zip of theirs"},
	}
	functions, err := filepath.Glob(filepath.Join(o.root, "functions", "*", "main.go"))
	if err != nil {
		panic(err)
	}
	dir := must(os.MkdirTemp("", "coldstart"))
	defer os.RemoveAll(dir)
	for _, main := range functions {
		name := filepath.Base(filepath.Dir(main))
		var ms [2][]float64
		var sizes [2]int64
		for i, plain := range []bool{false, true} {
			local, arm := filepath.Join(dir, fmt.Sprint(name, i)), filepath.Join(dir, fmt.Sprint(name, i, "-arm64"))
			if err := build(o, name, local, runtime.GOARCH, plain); err != nil {
				panic(err)
			}
			if err := build(o, name, arm, "arm64", plain); err != nil {
				panic(err)
			}
			sizes[i] = must(zipped(arm))
		}
		failed := false
		for range 5 * o.rounds {
			for i := range ms {
				took, err := ready(filepath.Join(dir, fmt.Sprint(name, i)), cmp.Or(secrets[name], "HOME=/"))
				if err != nil {
					s.note("The start of %s was not measured: it ended before it was ready.", name)
					fmt.Fprintln(os.Stderr, err)
					failed = true
					break
				}
				ms[i] = append(ms[i], float64(took.Microseconds())/1e3)
			}
			if failed {
				break
			}
		}
		if failed {
			continue
		}
		ratio := median(ms[0]) / median(ms[1])
		mb := func(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
		cell := func(all []float64) string {
			return fmt.Sprintf("%s (%s–%s)", short(median(all)), short(least(all)), short(most(all)))
		}
		s.row(name, cell(ms[0]), cell(ms[1]), short(ratio), mb(sizes[0]), mb(sizes[1]))
		s.goal(ratio <= 0.75, name+": exec to ready ≤ 0.75 × LoadDefaultConfig", "%s ×", short(ratio))
		s.goal(sizes[0] <= 4_500_000, name+": zip ≤ 4.5 MB", "%s", mb(sizes[0]))
	}
	return s
}
