package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

func TestFolder_Dir(t *testing.T) { testFolder(t, t.TempDir()) }

func TestFolder_S3(t *testing.T) {
	startMoto(t)
	testFolder(t, "s3://exports/some/prefix/")
	for _, location := range []string{"s3://", "s3:///key"} {
		if _, err := At(t.Context(), location); !usererr.Is(err) {
			t.Errorf("%s: got %v, want a usage error", location, err)
		}
	}
	other, err := At(t.Context(), "s3://no-such-bucket")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Create(t.Context(), "a", text("x")); err == nil ||
		!strings.Contains(err.Error(), "s3://no-such-bucket/a") {
		t.Errorf("store in an absent bucket: %v", err)
	}
	if _, err := other.List(t.Context(), ""); err == nil {
		t.Error("listed an absent bucket")
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// testFolder holds for every folder.
func testFolder(t *testing.T, location string) {
	ctx := t.Context()
	folder, err := At(ctx, location)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b/2.txt", "a.txt", "b/1.txt"} {
		if err := folder.Create(ctx, name, text("the content of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	failed := errors.New("failed")
	err = folder.Create(ctx, "a.txt", func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of write", err)
	}
	if got := readContent(t, folder, "a.txt"); got != "the content of a.txt" {
		t.Errorf("after a failed replacement: %q", got)
	}
	if err := folder.Create(ctx, "a.txt", text("new")); err != nil || readContent(t, folder, "a.txt") != "new" {
		t.Errorf("after a replacement: %q, %v", readContent(t, folder, "a.txt"), err)
	}
	if _, err := folder.Open(ctx, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open an absent file: %v", err)
	}
	for prefix, want := range map[string][]string{"": {"a.txt", "b/1.txt", "b/2.txt"},
		"b/": {"b/1.txt", "b/2.txt"}, "c": nil} {
		if got, err := folder.List(ctx, prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("list %q: %q, %v; want %q", prefix, got, err, want)
		}
	}
}

func readContent(t *testing.T, folder Folder, name string) string {
	t.Helper()
	file, err := folder.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || int64(len(content)) != file.Size() {
		t.Errorf("%s: read %d bytes of %d: %v", name, len(content), file.Size(), err)
	}
	tail := make([]byte, 2)
	if _, err := file.ReadAt(tail, file.Size()-2); err != nil ||
		string(tail) != string(content[len(content)-2:]) {
		t.Errorf("%s: the last bytes are %q, %v", name, tail, err)
	}
	return string(content)
}

// startMoto starts a server of S3 with the bucket "exports", and makes it the endpoint.
func startMoto(t *testing.T) {
	t.Helper()
	bin, err := filepath.Abs("../../../build/venv/bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(bin, "../installed")); err != nil {
		testenv.Missing(t, "python",
			"the mock of AWS is not installed: scripts/venv.sh installs it if it can reach PyPI")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	ctx, stop := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, filepath.Join(bin, "moto_server"), "-H", host, "-p", port)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = server.Wait() })
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": "http://" + net.JoinHostPort(host, port),
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_CONFIG_FILE": "/dev/null"} {
		t.Setenv(name, value)
	}
	client, err := s3Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		_, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("exports")})
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// A dev keeps its logs and its clock in .tidemark of the folder in which it runs.
func TestList_LeavesOutWhatIsHidden(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.csv", ".tidemark/clock", ".hidden"} {
		if err := Replace(filepath.Join(folder, name), text("x")); err != nil {
			t.Fatal(err)
		}
	}
	got, err := dir(folder).List(t.Context(), "")
	if want := []string{"a.csv"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// A folder without a file that is read is probably not the one that was meant.
func TestNames_AFolderWithoutFilesIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, hidden := range []string{"", ".hidden.csv", "_SUCCESS", "manifest.json"} {
		if hidden != "" {
			if err := Append(filepath.Join(dir, hidden), []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		names, err := Names(t.Context(), []string{dir})
		if !usererr.Is(err) || !strings.HasPrefix(err.Error(), dir+" has no file to read: check the name") {
			t.Errorf("with %q: %q, %v, want a usage error", hidden, names, err)
		}
	}
	if _, err := Names(t.Context(), []string{filepath.Join(dir, ".hidden.csv")}); err != nil {
		t.Errorf("a hidden file by its name: %v", err)
	}
}
