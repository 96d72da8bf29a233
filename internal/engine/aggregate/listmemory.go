package aggregate

import (
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// listedFor is for how long a process remembers an entry. It is shorter than a purge lock
// lasts after a purge: a process never takes an entry that was purged for a stored one.
const listedFor = 24 * time.Hour

// maxListed bounds the memory of the list: about 10 MB.
const maxListed = 50_000

// listMemory remembers entries of the list of series that are stored. The zero value is ready to use.
type listMemory struct {
	mu      sync.Mutex // guards entries
	entries map[model.Series]rememberedEntry
}

type rememberedEntry struct {
	storage.ListedSeries
	at model.Time // when it was read or written
}

func (m *listMemory) get(s model.Series, now model.Time) (storage.ListedSeries, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[s]
	return e.ListedSeries, ok && e.at <= now && now.Sub(e.at) < listedFor
}

// put remembers an entry. When the memory is full, it forgets everything.
func (m *listMemory) put(l storage.ListedSeries, now model.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.entries) >= maxListed || m.entries == nil {
		m.entries = map[model.Series]rememberedEntry{}
	}
	m.entries[l.Series] = rememberedEntry{l, now}
}

func (m *listMemory) forget(s model.Series) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, s)
}
