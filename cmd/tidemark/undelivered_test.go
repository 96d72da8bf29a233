package main

import "testing"

func TestUndelivered_ListsAndReplaysAndKeepsWhatItCannotStore(t *testing.T) {
	b := newBench(t)
	queue := newQueue(t, `{"deviceId":"a","timestamp":"2026-11-02T10:00:00Z","value":1}`, `{"deviceId":"a","timestamp":"yesterday"}`)
	url := " --queue " + queue.URL + "/1/undelivered"
	b.expect(1, words("undelivered list"+url), "id-receipt-0 inbox", "2 messages, of which 0 cannot be replayed as they are")
	if n := queue.show(); n != 2 {
		t.Errorf("a list left %d messages, want 2", n)
	}
	b.expect(1, words("undelivered replay"+url), "id-receipt-0 inbox  [applied]", "not a time", "1 replayed and removed, 1 stay")
	b.expect(0, words("history devices/a"), "2026-11-02T10:00:00.000Z")
	if n := queue.show(); n != 1 {
		t.Errorf("%d messages left, want that which cannot be stored", n)
	}
	b.expect(2, words("undelivered replay --queue Undelivered"), "want its URL")
	b.expect(0, words("undelivered list --queue "+newQueue(t).URL+"/1/undelivered"), "0 messages")
}
