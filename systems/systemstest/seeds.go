package systemstest

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// seedsVariable is the environment variable that overrides the number of seeds.
const seedsVariable = "TACTUS_SEEDS"

// Seeds runs f for the seeds 1 to n, each in a subtest like seed=17. With -short it runs a quarter of n, at least
// one. The environment variable TACTUS_SEEDS overrides n. A failing subtest prints the command that repeats it
// alone. f may call t.Parallel.
func Seeds(t *testing.T, n int, f func(t *testing.T, seed uint64)) {
	t.Helper()
	pkg := callerPackage()
	count := n
	if testing.Short() {
		count = max(n/4, 1)
	}
	if text := os.Getenv(seedsVariable); text != "" {
		v, err := strconv.Atoi(text)
		if err != nil || v < 1 {
			t.Fatalf("systemstest: %s is %q, not a number of seeds", seedsVariable, text)
		}
		count = v
	}
	for seed := 1; seed <= count; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("repeat it alone: %s", command(pkg, t.Name(), seed, n, testing.Short()))
				}
			})
			f(t, uint64(seed))
		})
	}
}

// command returns the command line that runs one seed of a test with n seeds by default.
func command(pkg, test string, seed, n int, short bool) string {
	var b strings.Builder
	if short && seed > max(n/4, 1) || seed > n {
		fmt.Fprintf(&b, "%s=%d ", seedsVariable, seed)
	}
	b.WriteString("go test " + pkg)
	if short {
		b.WriteString(" -short")
	}
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	b.WriteString(" -run '" + strings.ReplaceAll(strings.Join(parts, "/"), "'", `'\''`) + "'")
	return b.String()
}

// callerPackage returns the package of the test that calls, as an argument for go test in the module's root. The test may use a helper
// of another package.
func callerPackage() string {
	pc, file, _, ok := runtime.Caller(2)
	if !ok {
		return "."
	}
	for depth := 3; !strings.HasSuffix(file, "_test.go"); depth++ {
		at, name, _, ok := runtime.Caller(depth)
		if !ok {
			break
		}
		if file = name; strings.HasSuffix(file, "_test.go") {
			pc = at
		}
	}
	main := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		main = info.Main.Path
	}
	return relative(runtime.FuncForPC(pc).Name(), main)
}

// relative returns the path from the root of a module to the package of a function, given the function's full name.
func relative(function, module string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return "."
	}
	// The runtime escapes dots in the last element of an import path.
	pkg := strings.ReplaceAll(function[:slash+dot], "%2e", ".")
	pkg = strings.TrimSuffix(pkg, "_test")
	switch rest, inside := strings.CutPrefix(pkg, module+"/"); {
	case module == "":
		return pkg
	case pkg == module:
		return "."
	case inside:
		return "./" + rest
	}
	return pkg
}
