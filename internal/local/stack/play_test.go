package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// The test binary runs as another program if this environment variable is set.
const envPlay = "TIDEMARK_TEST_PLAY"

func TestMain(m *testing.M) {
	switch os.Getenv(envPlay) {
	case "function":
		lambda.Start(obey)
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot start: no table")
		os.Exit(7)
	case "parent":
		playParent()
	case "otel":
		if err := playOTel(os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

// order is what a played function does with a payload.
type order struct {
	Do   string `json:"do"`
	Text string `json:"text"`
}

func do(what, text string) []byte {
	payload, _ := json.Marshal(order{what, text})
	return payload
}

func obey(ctx context.Context, o order) (any, error) {
	switch o.Do {
	case "echo":
		return o.Text, nil
	case "pid":
		return os.Getpid(), nil
	case "env":
		return strings.Join(os.Environ(), "\n"), nil
	case "deadline":
		at, _ := ctx.Deadline()
		return time.Until(at).Seconds(), nil
	case "fail":
		return nil, errors.New(o.Text)
	case "panic":
		panic(o.Text)
	case "exit":
		fmt.Println("last words")
		os.Exit(3)
	case "id":
		file, err := os.OpenFile(o.Text, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		invocation, _ := lambdacontext.FromContext(ctx)
		_, err = fmt.Fprintln(file, invocation.AwsRequestID)
		return nil, err
	case "touch":
		return nil, os.WriteFile(o.Text, nil, 0o600)
	case "sleep":
		time.Sleep(time.Minute)
	}
	return nil, nil
}

// played returns the options of a function that this binary plays.
func played(role string) FunctionOptions {
	return FunctionOptions{Name: "test", Binary: os.Args[0], Env: []string{envPlay + "=" + role}}
}

// playParent runs a function and waits until it is killed.
func playParent() {
	ctx := context.Background()
	f, err := StartFunction(ctx, played("function"))
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	pid, err := f.Invoke(ctx, do("pid", ""))
	fmt.Println(string(pid), err)
	select {}
}
