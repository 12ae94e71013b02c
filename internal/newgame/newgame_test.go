package newgame

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/printed"
)

const (
	root    = "../.."
	tactus  = "github.com/tactusgo/tactus"
	starter = tactus + "/examples/starter"
	gonew   = "golang.org/x/tools/cmd/gonew" // internal/lint pins it
)

// madeBy is the line of the starter's README that makes a game: the tool, the template, and the game.
var madeBy = regexp.MustCompile(`(?m)^    go run (` + regexp.QuoteMeta(gonew) + `@v[0-9.]+) (` + regexp.QuoteMeta(starter) + `) (\S+)$`)

// folder is where commands run, and with which environment.
type folder struct {
	t   *testing.T
	dir string
	env []string
}

// run runs a command to its end, and returns what it has printed.
func (f *folder) run(name string, args ...string) string {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), name, args...)
	cmd.Dir, cmd.Env = f.dir, f.env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &errs)
	}
	return string(out)
}

// start starts a program of the folder. It ends with the test.
func (f *folder) start(name string, args ...string) (*exec.Cmd, *printed.Text) {
	f.t.Helper()
	cmd, text := exec.CommandContext(f.t.Context(), name, args...), new(printed.Text)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = f.dir, f.env, text, text
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	return cmd, text
}

// change is a part of the README: lines of the game that are there once, and what becomes of them.
type change struct{ file, from, to string }

// make makes a change.
func (f *folder) make(c change) {
	f.t.Helper()
	name := filepath.Join(f.dir, filepath.FromSlash(c.file))
	b, err := os.ReadFile(name)
	if err != nil {
		f.t.Fatal(err)
	}
	from, to := strings.TrimPrefix(c.from, "\n"), strings.TrimPrefix(c.to, "\n")
	if n := bytes.Count(b, []byte(from)); n != 1 {
		f.t.Fatalf("%s has %d times:\n%s", c.file, n, from)
	}
	if err := os.WriteFile(name, bytes.Replace(b, []byte(from), []byte(to), 1), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// anotherModel is one word.
var anotherModel = change{"game/protocol.go", `
const Model = policy.LocalSync
`, `
const Model = policy.Rollback
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
	w.Spawn(components.Owner{Client: client}, Place{Width / 2, Height / 2}, Player{Name: who.Name, Colour: colour}, Move{})
`, `
	w.Spawn(components.Owner{Client: client}, Place{Width / 2, Height / 2}, Player{Name: who.Name, Colour: colour}, Move{}, components.Heading{})
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

// The game that the README makes is whole: it builds and passes its tests as it is, under another model, and with
// another component; and its server and its clients meet.
func TestNewGame(t *testing.T) {
	if os.Getenv("TACTUS_NEWGAME") == "" {
		t.Skip("it builds a game with all that this needs, for half a minute: TACTUS_NEWGAME=1 go test ./internal/newgame")
	}
	readme, err := os.ReadFile(filepath.Join(root, "examples", "starter", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	says := madeBy.FindSubmatch(readme)
	if says == nil {
		t.Fatalf("the README has no line like %v", madeBy)
	}
	for _, name := range []string{"README.md", "docs/guide/binaries.md"} {
		if b, err := os.ReadFile(filepath.Join(root, name)); err != nil || !bytes.Contains(b, says[0]) {
			t.Errorf("%s does not say %q: %v", name, bytes.TrimSpace(says[0]), err)
		}
	}
	tool, template, module := string(says[1]), string(says[2]), string(says[3])

	tmp := t.TempDir()
	pins := folder{t: t, dir: filepath.Join(root, "internal", "lint"), env: append(os.Environ(), "GOWORK=off")}
	get := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(tmp, "gonew"), gonew)
	get.Dir, get.Env = pins.dir, pins.env
	if out, err := get.CombinedOutput(); err != nil && os.Getenv("CI") == "" {
		t.Skipf("%s cannot be had here, as there is neither a registry nor a copy: %v\n%s", tool, err, out)
	} else if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, out)
	}
	if pinned := pins.run("go", "list", "-f", "{{.ImportPath}}@{{.Module.Version}}", gonew); strings.TrimSpace(pinned) != tool {
		t.Errorf("the README has %s, internal/lint %s", tool, pinned)
	}

	// What is released comes from the checkout, all else from what this machine has, or from where it usually comes.
	proxy := filepath.Join(tmp, "proxy")
	release(t, proxy, tactus, root, unneeded)
	release(t, proxy, starter, filepath.Join(root, "examples", "starter"), built)
	usual := strings.Fields(pins.run("go", "env", "GOMODCACHE", "GOPROXY"))
	game := folder{t: t, dir: tmp, env: append(os.Environ(),
		"GOPROXY="+fileURL(proxy)+","+fileURL(filepath.Join(usual[0], "cache", "download"))+","+usual[1],
		"GOMODCACHE="+filepath.Join(tmp, "mod"), "GONOSUMDB="+tactus, "GOPRIVATE=", "GONOPROXY=", "GOWORK=off",
		"GOFLAGS=-modcacherw -trimpath -buildvcs=false", // without its folders, so that what is compiled is found again
	)}
	game.run(filepath.Join(tmp, "gonew"), template, module)
	game.dir = filepath.Join(tmp, module[strings.LastIndexByte(module, '/')+1:])
	game.run("go", "mod", "tidy")
	if used := game.run("go", "list", "-m", tactus); strings.TrimSpace(used) != tactus+" "+version {
		t.Errorf("the game uses %s", used)
	}
	game.run("go", "vet", "./...")
	game.run("go", "test", "./...")
	game.meet()

	game.make(anotherModel)
	game.run("go", "test", "./game")
	game.make(change{anotherModel.file, anotherModel.to, anotherModel.from})
	for _, c := range anotherComponent {
		game.make(c)
	}
	if err := os.WriteFile(filepath.Join(game.dir, "game", "heading_test.go"), []byte(headingTest), 0o644); err != nil {
		t.Fatal(err)
	}
	game.run("go", "test", "./game")
}

// meet starts the game's server and two clients, and sees that each sees the other.
func (f *folder) meet() {
	t := f.t
	bin := f.t.TempDir()
	f.run("go", "build", "-o", bin+string(filepath.Separator), "./server", "./client")
	server, log := f.start(filepath.Join(bin, "server"), "-listen", "127.0.0.1:0")
	addr := log.Find(t, `"msg":"serving","udp":"([^"]+)"`)
	ann, sees := f.start(filepath.Join(bin, "client"), "-connect", addr, "-name", "Ann")
	bob, seen := f.start(filepath.Join(bin, "client"), "-connect", addr, "-name", "Bob")
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

// fileURL is a folder as GOPROXY names it.
func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir
	}
	return "file://" + dir
}
