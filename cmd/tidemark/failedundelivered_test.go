package main

import "testing"

func TestFailed_UndeliveredListsAndRetriesAndKeepsWhatItCannotStore(t *testing.T) {
	b := newBench(t)
	queue := newQueue(t, `{"deviceId":"a","timestamp":"2026-11-02T10:00:00Z","value":1}`,
		`{"deviceId":"a","timestamp":"yesterday"}`)
	url := " --queue " + queue.URL + "/1/undelivered"
	b.expect(1, words("failed list --source undelivered"+url), "undelivered", "id-receipt-0", "inbox")
	if n := queue.show(); n != 2 {
		t.Errorf("a list left %d messages, want 2", n)
	}
	b.expect(1, words("failed retry --source undelivered"+url), "undelivered id-receipt-0 inbox: applied",
		"not a time", "undelivered: 1 processed and removed, 1 stay")
	b.expect(0, words("history devices/a"), "2026-11-02T10:00:00.000Z")
	if n := queue.show(); n != 1 {
		t.Errorf("%d messages left, want that which cannot be stored", n)
	}
	b.expect(2, words("failed retry --source undelivered --queue Undelivered"), "want its URL")
	b.expect(0, words("failed list --source undelivered --queue "+newQueue(t).URL+"/1/undelivered"),
		"nothing failed")
}
