package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestArena_SmallMatchIsExact(t *testing.T) {
	var out, progress bytes.Buffer
	if code := run(strings.Fields("-clients 4 -npcs 12 -seconds 1 -rtt 20ms..200ms -json"), &out, &progress); code != 0 {
		t.Fatalf("exit code %d: %s", code, &progress)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if !r.Exact || r.Compared == 0 || r.Updates != 4*20 {
		t.Errorf("exact %v (%s), %d states compared, %d updates", r.Exact, r.Difference, r.Compared, r.Updates)
	}
	if r.MaxError > 1.0/16 {
		t.Errorf("a position was %v units from the truth, 1/16 is allowed", r.MaxError)
	}
	if r.NPCUnitsTravelled == 0 || r.ChangesPerS == 0 || r.BytesPerUpdate == 0 || r.BytesUpPerClientS == 0 {
		t.Errorf("nothing happened: %+v", r)
	}
}

func TestArena_RefusesBadFlags(t *testing.T) {
	for _, flags := range []string{"-rtt fast", "-rtt 200ms..20ms", "-clients 0", "-coder lzw", "-loss 1", "-jitter 60ms", "more"} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(flags), &out, &errs); code != 2 || errs.Len() == 0 {
			t.Errorf("%s: exit code %d, %q", flags, code, &errs)
		}
	}
}
