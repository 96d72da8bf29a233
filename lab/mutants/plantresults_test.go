package mutants

import "testing"

func TestReadResults_NamesTheFirstFailedTestAndTimeouts(t *testing.T) {
	const killed = `{"Action":"run","Test":"TestA"}
{"Action":"fail","Test":"TestA/sub"}
{"Action":"fail","Test":"TestB"}
{"Action":"fail"}`
	if r := readResults([]byte(killed)); r.Killer != "TestA" || r.Timeout {
		t.Errorf("%+v, want TestA", r)
	}
	const hung = `{"Action":"output","Test":"TestA","Output":"panic: test timed out after 1m0s\n"}
{"Action":"fail","Test":"TestA"}`
	if r := readResults([]byte(hung)); !r.Timeout {
		t.Errorf("%+v, want a timeout", r)
	}
	if r := readResults([]byte(`{"Action":"fail","Output":"broken"}`)); r.Killer != "" || r.Timeout {
		t.Errorf("%+v, want neither", r)
	}
}
