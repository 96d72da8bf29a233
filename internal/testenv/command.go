package testenv

import (
	"os"
	"strings"
	"testing"
)

// Main runs the command of a test binary with the flags in TIDEMARK_COMMAND, or the tests if
// it is not set. Call it from TestMain. Tests that the command starts are no commands.
func Main(m *testing.M, command func(args []string)) {
	const variable = "TIDEMARK_COMMAND"
	flags, given := os.LookupEnv(variable)
	if !given {
		os.Exit(m.Run())
	}
	_ = os.Unsetenv(variable)
	command(strings.Fields(flags))
}
