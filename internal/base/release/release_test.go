package release

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// A name that is not there is stamped without a word: the Makefile's must be this one,
// and every program that it builds must be stamped.
func TestMakefile_StampsEveryProgramThatItBuilds(t *testing.T) {
	text, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	makefile := string(text)
	type here struct{}
	if want := "-X " + reflect.TypeFor[here]().PkgPath() +
		".version=$(VERSION)"; !strings.Contains(makefile, want) {
		t.Errorf("the Makefile stamps something else than %q", want)
	}
	for _, line := range strings.Split(strings.ReplaceAll(makefile, "$(LDFLAGS)", "$(STAMP)"), "\n") {
		if strings.Contains(line, "go build ") && !strings.Contains(line, `-ldflags "$(STAMP)"`) {
			t.Errorf("a program goes out without its version: %s", line)
		}
	}
	if !strings.Contains(makefile, "LDFLAGS    := -s -w $(STAMP)") {
		t.Error("the functions go out without their version")
	}
}

func TestVersion_IsTheStamp(t *testing.T) {
	was := version
	defer func() { version = was }()
	for _, version = range []string{"1.2.3", ""} {
		if got := Version(); got == "" || version != "" && got != version {
			t.Errorf("stamped %q, it says %q", version, got)
		}
	}
}
