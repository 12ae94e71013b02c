package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The header is one for C and C++, alone and with the bindings.
func TestHeader(t *testing.T) {
	built(t)
	for _, x := range []struct{ tool, std, file string }{{"cc", "c11", "c"}, {"cc", "c17", "c"}, {"c++", "c++11", "cpp"}, {"c++", "c++20", "cpp"}} {
		for _, text := range []string{
			"#include \"tactus.h\"\n",
			"#include \"tactus.h\"\n#include \"tactus.h\"\n#include \"arena.h\"\n",
			"#include \"arena.h\"\n#include \"tactus.h\"\n",
		} {
			file := filepath.Join(t.TempDir(), "main."+x.file)
			text += "int main(int n, char **args) { tactus_failure why; (void)args; return tactus_open(NULL, &why) != 0 || n == 0; }\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(x.tool, "-std="+x.std, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-Icapi", "-I../../arena/bindings", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s%s", x.std, err, text, out)
			}
		}
	}
}

var (
	comment  = regexp.MustCompile(`(?m)//.*$`)
	function = regexp.MustCompile(`(?m)^(?:extern )?((?:const )?\w+[ *]+)(tactus_\w+)\(([^)]*)\);`)
)

// signatures returns the functions of a header, without names of parameters and without const.
func signatures(t *testing.T, header []byte) (all []string) {
	t.Helper()
	for _, m := range function.FindAllStringSubmatch(comment.ReplaceAllString(string(header), ""), -1) {
		var types []string
		for p := range strings.SplitSeq(m[3], ",") {
			p = strings.TrimSpace(strings.ReplaceAll(p, "const ", ""))
			if i := strings.LastIndexAny(p, " *"); i >= 0 {
				p = p[:i+1]
			}
			types = append(types, strings.ReplaceAll(p, " ", ""))
		}
		all = append(all, strings.ReplaceAll(strings.TrimPrefix(m[1], "const "), " ", "")+" "+m[2]+"("+strings.Join(types, ",")+")")
	}
	slices.Sort(all)
	return all
}

// The functions of the header are those that the library has, with the same parameters.
func TestSignatures(t *testing.T) {
	built(t)
	folder := t.TempDir()
	exported := filepath.Join(folder, "exported.h")
	cmd := exec.Command("go", "tool", "cgo", "-objdir", folder, "-exportheader", exported, "--", "-I.", "exports.go")
	cmd.Dir = "capi"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	// Go returns the address of pinned memory as a number: see address in exports.go.
	numbers := strings.NewReplacer("uintptr_t tactus_frame", "tactus_view* tactus_frame", "uintptr_t tactus_text", "char* tactus_text", "(void)", "(void )")
	have := signatures(t, []byte(numbers.Replace(string(read(exported)))))
	want := signatures(t, []byte(strings.ReplaceAll(string(read("capi/tactus.h")), "(void)", "(void )")))
	if len(have) != 15 || !slices.Equal(have, want) {
		t.Errorf("the library has\n%s\nthe header\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}
