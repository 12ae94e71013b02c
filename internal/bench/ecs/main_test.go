package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestEveryFigureIsThere(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-json", "-rounds", "1"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	var got map[string]float64
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, stdout.String())
	}
	want := []string{
		"each_vs_slices", "arche_vs_slices", "capture_vs_memcpy", "restore_vs_memcpy",
		"world_capture_vs_memcpy", "world_restore_vs_memcpy", "world_rebuild_vs_memcpy",
		"quantize_vs_hand", "spawn_vs_arche",
	}
	for _, name := range want {
		if !(got[name] > 0) {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d figures, want %d: %s", len(got), len(want), stdout.String())
	}
}
