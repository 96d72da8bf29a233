package ddblocal

import "sync"

// tail keeps the last of what is written to it, so that a long run cannot fill the
// memory and a failure still shows its reason. It may be used concurrently.
type tail struct {
	mu   sync.Mutex
	last []byte // guarded by mu
}

const tailBytes = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if over := len(t.last) - tailBytes; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
