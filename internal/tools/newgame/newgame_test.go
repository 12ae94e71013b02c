package newgame

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const root = "../../.."

// change is a part of the README: lines of the game that are there once, and what becomes of them.
type change struct{ file, from, to string }

// make makes a change.
func (c change) make(game *Folder) {
	game.Change(c.file, strings.TrimPrefix(c.from, "\n"), strings.TrimPrefix(c.to, "\n"))
}

// anotherModel is one word.
var anotherModel = change{"game/protocol.go", `
var Model = policy.LocalSync{}
`, `
var Model = policy.Rollback{}
`}

// anotherComponent is one line, and its use.
var anotherComponent = []change{
	{"game/protocol.go", `
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
`, `
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[components.Heading](p, ecs.Predicted|ecs.Interpolated)
`},
	{"game/rules.go", `
	w.Spawn(components.Owner{Client: client}, Place{start(client), Height / 2}, Player{Name: who.Name, Colour: colour}, Move{})
`, `
	w.Spawn(components.Owner{Client: client}, Place{start(client), Height / 2}, Player{Name: who.Name, Colour: colour}, Move{}, components.Heading{})
`},
	{"game/rules.go", `
	In    *Move
	Place *Place
}
`, `
	In    *Move
	Place *Place
	Head  *components.Heading
}
`},
	{"game/rules.go", `
	for _, p := range ecs.Each[walker](w) {
`, `
	for _, p := range ecs.Each[walker](w) {
		p.Head.Angle += uint16(int(p.In.DX) * 512)
`},
}

// headingTest looks whether the component is what it is said to be. What is predicted turns in the tick of the key, and
// is never overwritten by what the server had a round trip ago. Only what is drawn between two states has an angle that
// is no multiple of a tick's.
const headingTest = `package game

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

func TestHeading(t *testing.T) {
	crowd := systemstest.New(t, systemstest.Config{
		Protocol:  Protocol,
		Play:      systemstest.Play(func(c *systemstest.Client, in *Move) { in.DX = int8(c.Rand().IntN(3) - 1) }),
		Clients:   2,
		Link:      systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05),
		FrameRate: 144,
		Seed:      1,
	})
	crowd.Connect()
	predicted, overwritten, between := 0, 0, 0
	before, input := uint16(0), uint32(0)
	crowd.OnClientTick(func(c *systemstest.Client) {
		me, ok := c.Own(c.World())
		if !ok || c.N != 0 {
			return
		}
		now, turned := ecs.Get[components.Heading](c.World(), me).Angle, uint16(int(ecs.Get[Move](c.World(), me).DX)*512)
		switch {
		case c.Input() != input+1: // the first
		case now-before != turned:
			overwritten++
		case turned != 0:
			predicted++
		}
		before, input = now, c.Input()
	})
	crowd.OnFrame(func(c *systemstest.Client) {
		for _, p := range ecs.All[struct {
			Owner components.Owner
			Head  components.Heading
		}](c.View()) {
			if p.Owner.Client != c.ID() && p.Head.Angle%512 != 0 {
				between++
			}
		}
	})
	crowd.Mark()
	crowd.Run(10 * time.Second)
	crowd.NoCorrections()
	crowd.Settle()
	crowd.Converged()
	if predicted < 100 || overwritten > 0 || between < 100 {
		t.Errorf("in %d ticks it was predicted, in %d the server's word stood there, in %d frames it was between two states",
			predicted, overwritten, between)
	}
}
`

// The game that the README's command creates is complete: it builds and passes its tests as it is, under another model, and
// with another component. Its server and its clients connect.
func TestNewGame(t *testing.T) {
	game := Make(t, root, "")
	for _, name := range []string{"README.md", "docs/guide/binaries.md"} {
		if b, err := os.ReadFile(filepath.Join(root, name)); err != nil || !strings.Contains(string(b), game.Made) {
			t.Errorf("%s does not say %q: %v", name, game.Made, err)
		}
	}
	game.Run("go", "vet", "./...")
	meet(t, game)

	anotherModel.make(game)
	game.Run("go", "test", "./game")
	change{anotherModel.file, anotherModel.to, anotherModel.from}.make(game)
	for _, c := range anotherComponent {
		c.make(game)
	}
	if err := os.WriteFile(filepath.Join(game.Dir, "game", "heading_test.go"), []byte(headingTest), 0o644); err != nil {
		t.Fatal(err)
	}
	game.Run("go", "test", "./game")
}

// meet starts the game's server and two clients, and sees that each sees the other.
func meet(t *testing.T, f *Folder) {
	bin := t.TempDir()
	f.Run("go", "build", "-o", bin+string(filepath.Separator), "./server", "./client")
	server, log := f.Start(filepath.Join(bin, "server"), "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-page", "127.0.0.1:0")
	page := log.Find(t, `"msg":"page","url":"([^"]+)"`)
	ann, sees := f.Start(filepath.Join(bin, "client"), "-connect", page, "-name", "Ann")
	bob, seen := f.Start(filepath.Join(bin, "client"), "-connect", page+"#"+sees.Find(t, `room (\w+)`), "-name", "Bob")
	sees.Until(t, `Ann \d+ \(you\) at .*Bob \d+ at|Bob \d+ at .*Ann \d+ \(you\) at`, 1)
	seen.Until(t, `Bob \d+ \(you\) at .*Ann \d+ at|Ann \d+ at .*Bob \d+ \(you\) at`, 1)
	sees.Until(t, `Ann [1-9]\d* \(you\)|Bob [1-9]\d* at`, 1) // one has a star
	for _, c := range []*exec.Cmd{ann, bob, server} {
		if err := c.Process.Signal(map[bool]os.Signal{true: syscall.SIGTERM, false: os.Interrupt}[c == server]); err != nil {
			t.Error(err)
		}
		over := time.AfterFunc(time.Minute, func() { _ = c.Process.Kill() })
		if err := c.Wait(); err != nil {
			t.Errorf("%s ends with %v\n%s", c.Path, err, log)
		}
		over.Stop()
	}
}

// The template's README shows the changes that these tests make.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "examples", "starter", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append([]change{anotherModel}, anotherComponent...) {
		for line := range strings.Lines(strings.TrimPrefix(c.to, "\n")) {
			if !strings.Contains(c.from, line) && !strings.Contains(string(readme), "\n+"+line) {
				t.Errorf("the README of the template does not say +%s", line)
			}
		}
	}
}
