package ownmachine_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
)

var served = http.HandlerFunc(func(w http.ResponseWriter,
	_ *http.Request) {
	w.WriteHeader(http.StatusNoContent)
})

func send(h http.Handler, target, host, origin string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = host
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestOwnMachine_RefusesPagesOfOtherWebsites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:8080", "", 204}, {"localhost:8080", "", 204}, {"[::1]:8080", "http://localhost:3000",
			204},
		{"evil.example:8080", "", 421}, {"127.0.0.1.evil.example", "", 421}, {"", "",
			421}, {"localhost.evil.example", "", 421},
		{"127.0.0.1:8080", "https://evil.example", 403}, {"127.0.0.1:8080", "null", 403}, {"127.0.0.1:8080",
			"http://127.0.0.1.evil.example", 403},
	} {
		if got := send(ownmachine.Server(served).Handler, "/", c.host, c.origin).Code; got != c.want {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, got, c.want)
		}
	}
}

func TestBehindToken_ServesNothingWithoutIt(t *testing.T) {
	t.Parallel()
	h, token := ownmachine.BehindToken(served)
	for target, want := range map[string]int{"/" + token + "/next": 204, "/next": 404,
		"/" + token[1:] + "/next": 404, "/": 404} {
		if got := send(h, target, "127.0.0.1", "").Code; got != want {
			t.Errorf("%s: %d, want %d", target, got, want)
		}
	}
}

func TestOnceOpened_ServesWhoHasTheKey(t *testing.T) {
	t.Parallel()
	h, key := ownmachine.OnceOpened("/ui/", served)
	opened := send(h, "/ui/?key="+key, "127.0.0.1", "")
	got := opened.Result().Cookies()
	if opened.Code != http.StatusSeeOther || opened.Header().Get("Location") != "/ui/" || len(got) != 1 ||
		!got[0].HttpOnly {
		t.Fatalf("opened: %d %v", opened.Code, opened.Header())
	}
	for _, c := range []struct {
		target string
		cookie *http.Cookie
		want   int
	}{
		{"/v1/devices", got[0], 204}, {"/ui/", got[0], 204}, {"/v1/devices", &http.Cookie{Name: got[0].Name,
			Value: "x"}, 401},
		{"/ui/?key=x", &http.Cookie{Name: "a", Value: "b"}, 401}, {"/v1/devices?key=" + key,
			&http.Cookie{Name: "a", Value: "b"}, 401},
	} {
		if w := send(h, c.target, "127.0.0.1", "", c.cookie); w.Code != c.want {
			t.Errorf("%s: %d, want %d", c.target, w.Code, c.want)
		}
	}
}

// A server that is made elsewhere would have no guard. cmd and internal have all servers of the product.
func TestServers_AreMadeHere(t *testing.T) {
	t.Parallel()
	servers := 0
	for _, root := range []string{"../../../internal", "../../../cmd"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && strings.HasSuffix(path, "test"): // helpers of tests
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text := string(source)
			servers += strings.Count(text, "ownmachine.Server(") + strings.Count(text, "ownmachine.OpenServer(")
			for _, made := range []string{"http.Server{", "http.ListenAndServe", "httptest.NewServer"} {
				if strings.Contains(text, made) && !strings.HasSuffix(filepath.ToSlash(path),
					"local/ownmachine/ownmachine.go") {
					t.Errorf("%s makes a server: use ownmachine.Server", path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if servers < 4 {
		t.Errorf("%d servers use the guard, want dev's front, the Runtime APIs, the table and the pages",
			servers)
	}
}
