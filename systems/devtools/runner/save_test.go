package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// A saved match continues under every model, in virtual and in real time, with the same players.
func TestSaveAndLoad(t *testing.T) {
	for _, m := range policy.Presets() {
		t.Run(m.String(), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "world.save")
			flags := []string{"-virtual", "-clients", "3", "-npcs", "10", "-duration", "3s", "-model", m.String()}
			first, err := Headless(t.Context(), plaza(), append(flags, "-save", file)...)
			if err != nil {
				t.Fatal(err)
			}
			game := plaza()
			game.Populate = func(*ecs.World, *Options) { t.Error("the world is populated again") }
			entities, players := 0, 0
			game.Proof = func(s *systems.Server, _ []*systems.Client) any {
				for table := range s.World().Netcode().Tables {
					entities += len(table.Entities)
				}
				for _, r := range ecs.All[ownerRow](s.World()) {
					if r.Owner.Client > 0 {
						players = max(players, int(r.Owner.Client))
					}
				}
				return nil
			}
			second, err := Headless(t.Context(), game, append(flags, "-load", file)...)
			if err != nil {
				t.Fatal(err)
			}
			if first.FirstTick != 0 || uint64(second.FirstTick) < first.Ticks || !second.Converged {
				t.Errorf("first ticks %d and %d, converged %v: %s", first.FirstTick, second.FirstTick, second.Converged, second.Difference)
			}
			if entities != 13 || players != 3 {
				t.Errorf("%d entities, the largest owner is client %d", entities, players)
			}
			if d := second.Client.InterpolationDelayMS; d < 0 || d > 1000 {
				t.Errorf("an interpolation delay of %v ms", d)
			}
		})
	}
}

// Errors about files name the file and the reason.
func TestSaveErrors(t *testing.T) {
	dir := t.TempDir()
	file, none := filepath.Join(dir, "world.save"), filepath.Join(dir, "no", "world.save")
	play := func(flags ...string) error {
		_, err := Headless(t.Context(), plaza(), append([]string{"-virtual", "-clients", "1", "-duration", "1s"}, flags...)...)
		return err
	}
	want := func(err error, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%v: want %q", err, text)
			}
		}
	}
	unused := plaza()
	unused.Populate = func(*ecs.World, *Options) { t.Error("the match runs, although -save cannot be written") }
	_, err := Headless(t.Context(), unused, "-virtual", "-save", none)
	want(err, "save "+none+": no such file or directory")
	want(play("-load", none), "load "+none+": no such file or directory")
	if err := os.WriteFile(file, []byte("a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(play("-load", file), "load "+file+": not a save")
	if err := play("-save", file); err != nil {
		t.Fatal(err)
	}
	other := plaza()
	other.Protocol = func(*Options) *ecs.Protocol { return ecs.NewProtocol("other/1") }
	_, err = Headless(t.Context(), other, "-virtual", "-load", file)
	want(err, "load "+file, "and this is")
	want(play("-connect", "127.0.0.1:1", "-save", file, "-virtual=false"), "-save, -load: not allowed with -connect")
}

// The flight of a match is rerun with an equal world, under every model.
func TestFlightAndRerun(t *testing.T) {
	for _, m := range policy.Presets() {
		t.Run(m.String(), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "match")
			flags := []string{"-virtual", "-clients", "3", "-npcs", "10", "-duration", "3s", "-tick", "30", "-send", "10", "-model", m.String()}
			if _, err := Headless(t.Context(), plaza(), append(flags, "-record", file)...); err != nil {
				t.Fatal(err)
			}
			code, out, errs := execute(t, plaza(), "-json -rerun "+file)
			var r RerunReport
			if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
				t.Fatal(err, code, errs)
			}
			if !r.Equal || r.Checkpoints == 0 || r.Hashes == 0 || r.Ticks < 90 || r.Speed <= 0 {
				t.Errorf("%+v", r)
			}
			if _, out, _ = execute(t, plaza(), "-rerun "+file); !strings.Contains(out, "equal true") || !strings.HasPrefix(out, "end of the match: ") {
				t.Errorf("the summary is %q", out)
			}
		})
	}
}

// Errors about flights name the file and the reason.
func TestFlightErrors(t *testing.T) {
	dir := t.TempDir()
	none, text := filepath.Join(dir, "no", "match"), filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"-rerun " + none:                      "-rerun: open " + none + ": no such file or directory",
		"-rerun " + text:                      "-rerun " + text + ": systems: flight: not a flight",
		"-rerun " + text + " -save " + text:   "-rerun: not allowed with",
		"-connect 127.0.0.1:1 -rerun " + text: "-rerun: not allowed with",
	} {
		if code, _, errs := execute(t, plaza(), args); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %s", args, code, errs)
		}
	}
}
