package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestTheFiguresAreThere(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-json", "-rounds", "1"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	var got map[string]float64
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || len(got) != 2 || !(got["resim_vs_steps"] > 0) || !(got["rollback_vs_steps"] > 0) {
		t.Errorf("%v: %s", err, stdout.String())
	}
}
