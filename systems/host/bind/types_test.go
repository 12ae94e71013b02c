package bind_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host/bind"
)

// The TypeScript types of every kind of field compile in strict mode, and so does a program that uses them. Wrong uses do not
// compile.
func TestTypesCompile(t *testing.T) {
	node := tool(t, "node")
	tsc, err := filepath.Abs("../js/test/types/node_modules/typescript/bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tsc); err != nil {
		t.Skip("needs TypeScript: npm ci in systems/host/js/test/types")
	}
	client, err := filepath.Abs("../js/index.mjs")
	if err != nil {
		t.Fatal(err)
	}
	p, b := protocol("kit/1")
	folder := written(t, p, b)
	if err := bind.Write(bind.Config{Folder: folder, Name: "empty", Protocol: ecs.NewProtocol("empty")}); err != nil {
		t.Fatal(err)
	}
	put(t, folder, "main.ts", `import { bind } from '@tactusgo/client';
import layout, { Mood, type NumbersColumn, type ListsValue, type ShapesColumn } from './kit.mjs';
import nothing from './empty.mjs';

const kit = bind(layout), empty = bind(nothing);

export function all(n: NumbersColumn, s: ShapesColumn, l: ListsValue): (number | string)[] {
  const seed: bigint = n.H(0), flags: bigint = n.V(0), on: boolean = n.A(0), mood: Mood = l.Slots.get(0).Mood;
  // @ts-expect-error: a bigint
  const wrong: number = n.H(0);
  // @ts-expect-error: not a name of the enum
  if (mood === 7) return [wrong];
  // @ts-expect-error: two indices
  s.Grid(0, 1);
  // @ts-expect-error: what is not replicated is not there
  s.Parts.Cache(0, 1);
  // @ts-expect-error: only read
  l.Slots.length = 2;
  // @ts-expect-error: not all of it is floats
  s.floats(3);
  return [n.J(0), n.Q(0), s.Pos.X(0), s.Way(0, 1), s.Spin.W(0), s.Grid(0, 1, 2), s.Parts.B(0, 1, 2), s.Deep.In.A(0, 1, 1), Number(seed + flags + BigInt(on)),
    l.Name, l.Slots.get(0).Name, l.Marks.get(1), l.Rows.get(1).get(2), l.Nest.get(0).length, l.Names.get(0), l.Few.length, l.Own.get(0).Tags.get(0)];
}

const note = new kit.sent.ListsNote.Value(), login = new kit.Login(), input = new empty.Input();
note.Slots.get(1).Mood = Mood.Wild;
// @ts-expect-error: not a name of the enum
note.Slots.get(1).Mood = 3;
note.Marks.length = 2;
note.Marks.set(1, -7);
note.Names.set(0, 'Ada');
// @ts-expect-error: a text
note.Names.set(0, 7);
// @ts-expect-error: an array's length does not change
note.Rows.length = 1;
login.Name = 'Ada';
export const made = [note.bytes, login.bytes, input.bytes, empty.lines, kit.lines];
`)
	put(t, folder, "tsconfig.json", fmt.Sprintf(`{"compilerOptions": {"strict": true, "noEmit": true, "target": "ES2022", "module": "ESNext", "moduleResolution": "Bundler", "paths": {"@tactusgo/client": [%q]}}, "files": ["main.ts", "kit.d.mts", "empty.d.mts"]}`, strings.TrimSuffix(client, ".mjs")+".d.ts"))
	cmd := exec.Command(node, tsc, "-p", "tsconfig.json")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	// A module that exports nothing but its own is one that Node loads.
	put(t, folder, "main.mjs", "import { bind } from '"+client+"';\nimport layout from './empty.mjs';\nconst empty = bind(layout);\nnew empty.Table({ u32: new Uint32Array(8) }).set(0);\nnew empty.Input();\nconsole.log(empty.lines[0]);\n")
	if out, err := exec.Command(node, filepath.Join(folder, "main.mjs")).CombinedOutput(); err != nil || string(out) != "protocol empty\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
