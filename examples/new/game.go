package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

const (
	tactus    = "github.com/tactusgo/tactus"
	template  = tactus + "/examples/starter"
	npmClient = "@tactusgo/client"
)

// modulePath matches what the go command accepts as a path of a module.
var modulePath = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._~]*(/[A-Za-z0-9_~][-A-Za-z0-9._~]*)*$`)

// game is what the command creates.
type game struct {
	ctx      context.Context
	out      io.Writer
	checkout string // the root of the checkout that the game uses, or "": a release
	dir      string // absolute
	module   string
	ts       bool
	empty    bool
}

// checkout returns the root of the checkout of Tactus around a folder, or "".
func checkout(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module "+tactus+"\n")) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", nil
		}
	}
}

// refuseDir returns an error if the game cannot be written to its folder.
func (g *game) refuseDir() error {
	inside, err := checkout(existing(g.dir))
	if err != nil {
		return err
	}
	if inside != "" {
		return fmt.Errorf("%s is inside the checkout %s, whose tests would take the game for a part of it; name a folder outside: %w", g.dir, inside, errUsage)
	}
	list, err := os.ReadDir(g.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w; name a folder that does not exist or is empty: %w", err, errUsage)
	case len(list) > 0:
		return fmt.Errorf("%s is not empty; name a folder that does not exist or is empty: %w", g.dir, errUsage)
	}
	return nil
}

// existing returns the innermost folder around a path that exists, without symbolic links.
func existing(dir string) string {
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return real
		}
		dir = filepath.Dir(dir)
	}
}

// needNode returns an error with advice if Node or npm is missing or too old for Vite.
func (g *game) needNode() error {
	const need = "-ts needs Node 20.19 or later and npm; install them (https://nodejs.org), or leave -ts out"
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("there is no %s: %s", program, need)
		}
	}
	version, err := exec.CommandContext(g.ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w: %s", err, need)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(version), "v%d.%d", &major, &minor); err != nil || major < 20 || major == 20 && minor < 19 {
		return fmt.Errorf("node is version %s: %s", bytes.TrimSpace(version), need)
	}
	return nil
}

// create writes, builds and tests the game.
func (g *game) create() error {
	if err := os.MkdirAll(g.dir, 0o755); err != nil {
		return err
	}
	write := g.fromTemplate
	if g.empty {
		write = g.fromNothing
	}
	if err := write(); err != nil {
		return fmt.Errorf("%w\nwhat there is of the game is in %s; remove it before you try again", err, g.dir)
	}
	return nil
}

// fromNothing makes a module that requires Tactus.
func (g *game) fromNothing() error {
	if err := g.run(".", "go", "mod", "init", g.module); err != nil {
		return err
	}
	var err error
	if g.checkout == "" {
		err = g.run(".", "go", "get", tactus+"@"+release())
	} else if err = g.run(".", "go", "mod", "edit", "-require="+tactus+"@v0.0.0"); err == nil {
		err = g.useCheckout()
	}
	if err != nil || !g.ts {
		return err
	}
	about, err := json.MarshalIndent(map[string]any{"name": path.Base(g.module), "private": true, "type": "module"}, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(g.dir, "package.json"), append(about, '\n'), 0o644)
	}
	if err != nil {
		return err
	}
	return g.npmInstall(".", npmClient+"@"+strings.TrimPrefix(release(), "v"))
}

// The template has two pages. These are the files of one that a game with the other one does not get.
var (
	goPage = []string{"page"}
	tsPage = []string{"web", "wasm", "bindings", "game/host.go", ".github/workflows/web.yml"}
)

// fromTemplate copies the template, builds it and tests it.
func (g *game) fromTemplate() error {
	from, err := g.template()
	if err != nil {
		return err
	}
	g.say("copy %s", from)
	without, edit := tsPage, []string{"mod", "edit", "-module=" + g.module, "-dropignore=./web/node_modules"}
	if g.ts {
		without, edit = goPage, edit[:3]
	}
	if err := copyTemplate(g.dir, from, template, g.module, without); err != nil {
		return err
	}
	if err := g.run(".", "go", edit...); err != nil {
		return err
	}
	if g.checkout != "" {
		if err := g.useCheckout(); err != nil {
			return err
		}
	}
	if err := g.run(".", "go", "mod", "tidy"); err != nil {
		return err
	}
	if g.ts {
		if err := g.npmInstall("web"); err != nil {
			return err
		}
		if err := g.run("web", "npm", "run", "build"); err != nil {
			return err
		}
	}
	if err := g.run(".", "go", "build", "./..."); err != nil {
		return err
	}
	return g.run(".", "go", "test", "./...")
}

// template returns the folder of the template: in the checkout, or in the module cache.
func (g *game) template() (string, error) {
	if g.checkout != "" {
		return filepath.Join(g.checkout, "examples", "starter"), nil
	}
	module := template + "@" + release()
	g.say("go mod download %s", module)
	out, err := g.command(".", "go", "mod", "download", "-json", module).Output()
	var answer struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &answer); jsonErr != nil || answer.Error != "" {
		return "", fmt.Errorf("the template %s cannot be downloaded: %s %w", module, answer.Error, errors.Join(err, jsonErr))
	}
	return answer.Dir, err
}

// release returns the version that this program was built from, or "latest".
func release() string {
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Path, tactus) && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "latest"
}

// copyTemplate copies the files of a template without some of them and without what builds leave behind, and renames its
// module in imports.
func copyTemplate(to, from, oldModule, newModule string, without []string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		skip := slices.Contains(without, filepath.ToSlash(rel))
		switch base := d.Name(); {
		case d.IsDir() && (skip || base == "node_modules" || base == "dist" || base == "gen" || base == "bin"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case skip || base == "wasm_exec.js" || path.Ext(base) == ".wasm":
			return nil
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".go" {
			b = bytes.ReplaceAll(b, []byte(`"`+oldModule+`/`), []byte(`"`+newModule+`/`))
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
}

// useCheckout replaces each module of ours that a game may import by its folder in the checkout.
func (g *game) useCheckout() error {
	edit := []string{"mod", "edit"}
	err := filepath.WalkDir(g.checkout, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(g.checkout, filepath.Dir(name))
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch base := d.Name(); {
		case d.IsDir() && name != g.checkout && (base == "node_modules" || base == "testdata" || base == "internal" || base == "docs" || base == "examples" || strings.HasPrefix(base, ".")):
			return filepath.SkipDir
		case base == "go.mod" && !d.IsDir():
			edit = append(edit, "-replace="+path.Join(tactus, rel)+"="+filepath.Dir(name))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return g.run(".", "go", edit...)
}

// npmInstall installs the npm packages of a folder: in a checkout with our package packed, else with the release.
func (g *game) npmInstall(folder string, packages ...string) error {
	args := []string{"install", "--no-audit", "--no-fund"}
	if g.checkout == "" {
		return g.run(folder, "npm", append(args, packages...)...)
	}
	packed, err := g.command(folder, "npm", "pack", "--silent", filepath.Join(g.checkout, "systems", "host", "js")).Output()
	if err != nil {
		return fmt.Errorf("npm pack: %w", err)
	}
	return g.run(folder, "npm", append(args, "./"+strings.TrimSpace(string(packed)))...)
}

// command returns a command in a folder of the game.
func (g *game) command(folder, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(g.ctx, name, args...)
	cmd.Dir, cmd.Env = filepath.Join(g.dir, folder), append(os.Environ(), "GOWORK=off")
	return cmd
}

// run runs a command in a folder of the game. It prints the command at once, the time it took afterwards, and its output if
// it fails.
func (g *game) run(folder, name string, args ...string) error {
	g.say("%s", strings.Join(append([]string{name}, args...), " "))
	start := time.Now()
	out, err := g.command(folder, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	if took := time.Since(start).Round(time.Second); took > 0 {
		g.say("  took %v", took)
	}
	return nil
}

func (g *game) say(format string, args ...any) { fmt.Fprintf(g.out, format+"\n", args...) }

// nextSteps prints what to do with the game.
func (g *game) nextSteps() {
	g.say("\n%s is ready in %s.", g.module, g.dir)
	if g.checkout != "" {
		g.say("It uses the checkout %s, by the replace lines of its go.mod.", g.checkout)
	}
	g.say("\nNext:\n")
	switch {
	case g.empty:
		g.say("  cd %s", g.dir)
		g.say("\nand write the game: https://github.com/tactusgo/tactus/blob/main/docs/guide/first-game.md")
	case g.ts:
		g.say("  cd %s\n  npm run dev\n", filepath.Join(g.dir, "web"))
		g.say("and open the address that it prints. The rules are in game/rules.go, the picture is in web/src/draw.ts; save and look.")
	default:
		g.say("  cd %s\n  go run ./server\n  go run ./client -name Ann    # in another terminal\n", g.dir)
		g.say("README.md there shows how to play in a window, page/README.md in a browser. Read game/protocol.go first, then game/rules.go.")
	}
}
