// Package release returns the release of a program. It has no dependencies, so that the
// command line and the functions say the same of the same build.
package release

import (
	"cmp"
	"runtime/debug"
)

// version is set when a release is built:
//
//	-ldflags "-X github.com/tidemark-db/tidemark/internal/base/release.version=1.2.3"
var version string

// Version is the release, else the commit the program was built from, else the version of the
// module that go install fetched, else "devel".
func Version() string {
	info, _ := debug.ReadBuildInfo()
	if version != "" || info == nil {
		return cmp.Or(version, "devel")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return cmp.Or(Module(), "devel")
}

// Module is the version of the module from which go install built the program; "" if it was
// built in a checkout.
func Module() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil || info.Main.Version == "(devel)" || info.Main.Sum == "" {
		return ""
	}
	return info.Main.Version
}
