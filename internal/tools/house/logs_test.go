package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// silent lists what only a program may do: print, or log without a configured logger. A library logs to the *slog.Logger of
// its configuration, by default to none.
var silent = map[string]func(name string) bool{
	"log": func(string) bool { return true },
	"log/slog": func(name string) bool {
		switch name {
		case "Default", "SetDefault", "SetLogLoggerLevel", "With", "Log", "LogAttrs",
			"Debug", "DebugContext", "Info", "InfoContext", "Warn", "WarnContext", "Error", "ErrorContext":
			return true
		}
		return false
	},
	"fmt": func(name string) bool { return strings.HasPrefix(name, "Print") },
	"os":  func(name string) bool { return name == "Stdout" || name == "Stderr" },
}

// loud reports all prints and logs of a file that nobody configured.
func loud(f *ast.File, tell func(at token.Pos, what string)) {
	names := map[string]string{} // local name to path
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || silent[path] == nil {
			continue
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if path := names[identName(x)]; ok && path != "" && silent[path](n.Sel.Name) {
				tell(n.Pos(), x.Name+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if x, ok := n.Fun.(*ast.Ident); ok && (x.Name == "print" || x.Name == "println") {
				tell(n.Pos(), x.Name)
			}
		}
		return true
	})
}

func identName(x *ast.Ident) string {
	if x == nil {
		return ""
	}
	return x.Name
}

func TestLibrariesLogWhereTheyAreTold(t *testing.T) {
	for _, name := range files(t, isGo) {
		f := parse(t, name)
		if f == nil || f.Name.Name == "main" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		loud(f, func(at token.Pos, what string) {
			line := 1 + bytes.Count(read(t, name)[:at-f.FileStart], []byte("\n"))
			t.Errorf("%s:%d: %s: log to the *slog.Logger of a configuration, or write to an io.Writer that was given", name, line, what)
		})
	}
}

func TestLoudChecker(t *testing.T) {
	for src, want := range map[string]int{
		`import "log"; func f() { log.Printf("x") }`:                                    1,
		`import "log/slog"; func f() { slog.Info("x"); slog.New(slog.DiscardHandler) }`: 1,
		`import l "log/slog"; func f(x *l.Logger) { x.Info("y"); l.Default() }`:         1,
		`import "fmt"; func f() { fmt.Println(); fmt.Sprint(); print(1) }`:              2,
		`import "os"; func f() { _ = os.Stderr; _ = os.Args }`:                          1,
		`func f(log interface{ Info(string) }) { log.Info("x") }`:                       0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		loud(f, func(token.Pos, string) { n++ })
		if n != want {
			t.Errorf("%s: %d, want %d", src, n, want)
		}
	}
}
