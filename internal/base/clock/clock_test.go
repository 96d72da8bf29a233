package clock

import (
	"path/filepath"
	"testing"
	"time"
)

func TestClock_IsTheMachinesUntilItIsMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	for _, c := range []Clock{{}, At(path)} {
		if off := c.Offset(); off != 0 || time.Since(c.Now()).Abs() > time.Second {
			t.Errorf("clock of %q is moved by %s", c.Path(), off)
		}
	}
}

func TestClock_IsSharedByAllThatReadItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	at := time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)
	if err := At(path).Set(at); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Env, path)
	other := FromEnv()
	if got := other.Now(); got.Sub(at) < 0 || got.Sub(at) > time.Minute {
		t.Errorf("the clock is at %s, want %s", got, at)
	}
	if err := other.Move(48 * time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := At(path).Now().Sub(at); got < 48*time.Hour || got > 48*time.Hour+time.Minute {
		t.Errorf("after a move by 48 hours the clock is %s later", got)
	}
	if err := other.Move(-time.Second); err == nil {
		t.Error("the clock was moved back")
	}
}

// A time.Duration has 292 years: a time beyond was set to the last one that it has.
func TestClock_RefusesATimeThatADurationDoesNotReach(t *testing.T) {
	c := At(filepath.Join(t.TempDir(), "clock"))
	if err := c.Set(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)); err == nil {
		t.Errorf("the clock is at %s, want a refusal of the year 9999", c.Now())
	}
	if err := c.Set(time.Now().Add(-50 * 365 * 24 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := c.Move(200 * 365 * 24 * time.Hour); err == nil {
		t.Errorf("the clock is at %s, want a refusal", c.Now())
	}
}
