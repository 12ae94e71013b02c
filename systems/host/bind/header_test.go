package bind_test

import (
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/host/bind"
)

// listed are the lists of the kit that are structs of their own, by name: which of their indices count elements.
var listed = map[string][]bool{"Slots": {true}, "Marks": {true}, "Big": {true}, "Names": {true}, "Nest": {true, true}, "Own": {true}, "Gap": {true}, "Tags": {true}, "Rows": {false, true}}

var step = regexp.MustCompile(`[A-Za-z]\w*|\[\d+\]`)

// inC returns the path of a value in C.
func inC(l leaf) string {
	var s, name string
	nth := 0
	for _, part := range step.FindAllString(l.Path, -1) {
		if part[0] != '[' {
			s, name, nth = strings.TrimPrefix(s+"."+part, "."), part, 0
			continue
		}
		if in := listed[name]; nth < len(in) && in[nth] {
			s += ".items"
		}
		s += part
		nth++
	}
	return s
}

// program returns a program in C that prints the rows of samples, and a copy of each made value by value.
func program(all []*sample) string {
	var s strings.Builder
	s.WriteString("#include <inttypes.h>\n#include \"kit.h\"\n" + `
static void real(const char *where, double v) { uint64_t b; memcpy(&b, &v, 8); printf("%s\t%016" PRIx64 "\n", where, b); }
static void hex(const char *where, const void *p, size_t n) {
  printf("%s\t", where);
  for (size_t i = 0; i < n; i++) printf("%02x", ((const uint8_t *)p)[i]);
  printf("\n");
}
int main(int n, char **args) {
  char text[4096] = "";
  if (n != 3) return 1;
  printf("%d\n", kit_check(args[1], text, sizeof text));
  printf("%d\n", kit_check(args[2], text, sizeof text));
  hex("", text, strlen(text));
`)
	for _, x := range all {
		for r, row := range x.Rows {
			fmt.Fprintf(&s, "  {\n    static const uint8_t bytes[] = {")
			for _, b := range x.bytes[r] {
				fmt.Fprintf(&s, "%d,", b)
			}
			fmt.Fprintf(&s, "};\n    kit_%s v, w;\n    memcpy(&v, bytes, sizeof v);\n    memset(&w, 0, sizeof w);\n", x.Name)
			for _, l := range row {
				path := inC(l)
				switch l.What {
				case "float":
					fmt.Fprintf(&s, "    real(\"\", v.%s); w.%s = v.%s;\n", path, path, path)
				case "bool":
					fmt.Fprintf(&s, "    printf(\"\\t%%s\\n\", v.%s ? \"true\" : \"false\"); w.%s = v.%s;\n", path, path, path)
				case "text", "count":
					count, items := path+".length", path+".items"
					switch path {
					case "Said":
						count, items = "Wide", "Said"
					case "Few":
						count = "N"
					}
					if l.What == "text" {
						fmt.Fprintf(&s, "    hex(\"\", v.%s, v.%s); memcpy(w.%s, v.%s, v.%s);", items, count, items, items, count)
					} else {
						fmt.Fprintf(&s, "    printf(\"\\t%%d\\n\", v.%s);", count)
					}
					fmt.Fprintf(&s, " w.%s = v.%s;\n", count, count)
				default:
					if strings.HasPrefix(l.Value, "-") {
						fmt.Fprintf(&s, "    printf(\"\\t%%\" PRId64 \"\\n\", (int64_t)v.%s);", path)
					} else {
						fmt.Fprintf(&s, "    printf(\"\\t%%\" PRIu64 \"\\n\", (uint64_t)v.%s);", path)
					}
					fmt.Fprintf(&s, " w.%s = v.%s;\n", path, path)
				}
			}
			s.WriteString("    hex(\"\", &w, sizeof w);\n  }\n")
		}
	}
	s.WriteString("  return 0;\n}\n")
	return s.String()
}

// C reads the bytes that Go has written, and Go those of C. The C compiler finds each value where the header says.
func TestCReadsAndWritesAsGo(t *testing.T) {
	cc := tool(t, "cc")
	p, b := protocol("kit/1")
	folder := written(t, p, b)
	for _, seed := range seeds {
		all := samples(seed, p, b)
		changed, book := protocol("kit/2")
		file := put(t, folder, "main.c", program(all))
		binary := filepath.Join(folder, "main")
		if out, err := exec.Command(cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", folder, "-o", binary, file).CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v\n%.4000s", seed, err, out)
		}
		out, err := exec.Command(binary, strings.Join(host.Lines(p, b), "\n"), strings.Join(host.Lines(changed, book), "\n")).Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(out), "\n")
		why, _ := hex.DecodeString(strings.TrimSpace(lines[2]))
		if lines[0] != "1" || lines[1] != "0" || !strings.Contains(string(why), "library:  protocol kit/2") || !strings.Contains(string(why), "bindings: protocol kit/1") {
			t.Errorf("check: %q, %q, %q", lines[0], lines[1], why)
		}
		lines = lines[3:]
		next := func() string {
			s := strings.TrimPrefix(lines[0], "\t")
			lines = lines[1:]
			return s
		}
		for _, x := range all {
			for r, row := range x.Rows {
				where := fmt.Sprintf("go test -run %s: seed %d, %s, row %d", t.Name(), seed, x.Name, r)
				for _, l := range row {
					got := next()
					if l.What == "text" {
						b, _ := hex.DecodeString(got)
						got = string(b)
					}
					if got != l.Value {
						t.Fatalf("%s: %s is %q, want %q", where, l.Path, got, l.Value)
					}
				}
				mem, _ := hex.DecodeString(next())
				if len(mem) != int(x.table.Size) {
					t.Fatalf("%s: %d bytes, it has %d", where, len(mem), x.table.Size)
				}
				equal(t, where+", written", leaves(x.table, unsafe.Pointer(&mem[0])), row)
			}
		}
	}
}

// The header is one for C++, too.
func TestHeaderInCPlusPlus(t *testing.T) {
	cxx := tool(t, "c++")
	p, b := protocol("kit/1")
	folder := written(t, p, b)
	file := put(t, folder, "main.cpp", "#include \"kit.h\"\nint main() { return int(sizeof(kit_Lists)) + kit_Mood_Wild; }\n")
	if out, err := exec.Command(cxx, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}

// The check also shows lines that only one side has.
func TestHeaderTellsOfMissingLines(t *testing.T) {
	cc := tool(t, "cc")
	p, b := protocol("kit/1")
	folder := written(t, p, b)
	lines := host.Lines(p, b)
	file := put(t, folder, "main.c", fmt.Sprintf("#include \"kit.h\"\nint main(void) {\n  char t[4096];\n  if (kit_check(%s, t, sizeof t)) return 1;\n  puts(t);\n  if (kit_check(%s, t, sizeof t)) return 1;\n  puts(t);\n  return 0;\n}\n",
		strconv.QuoteToASCII(strings.Join(lines[:len(lines)-1], "\n")), strconv.QuoteToASCII(strings.Join(append(lines[:len(lines):len(lines)], "command More{}"), "\n"))))
	binary := filepath.Join(folder, "main")
	if out, err := exec.Command(cc, "-I", folder, "-o", binary, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(binary).Output()
	if s := string(out); err != nil || !strings.Contains(s, "library:  (no such line)") || !strings.Contains(s, "library:  command More{}\n  bindings: (no such line)") {
		t.Errorf("%v: %s", err, s)
	}
	if err := bind.Check(bind.Config{Folder: folder, Name: "kit", Protocol: p, Book: b, Enums: []bind.Enum{mood}, Header: true}); err != nil {
		t.Error(err)
	}
}
