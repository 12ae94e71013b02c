package systemstest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		test    string
		seed, n int
		short   bool
		want    string
	}{
		{"TestDots/seed=17", 17, 20, false, `go test ./dots -run '^TestDots$/^seed=17$'`},
		{"TestDots/a.b/seed=3", 3, 20, false, `go test ./dots -run '^TestDots$/^a\.b$/^seed=3$'`},
		{"TestDots/seed=30", 30, 20, false, `TACTUS_SEEDS=30 go test ./dots -run '^TestDots$/^seed=30$'`},
		{"TestDots/seed=2", 2, 20, true, `go test ./dots -short -run '^TestDots$/^seed=2$'`},
		{"TestDots/seed=6", 6, 20, true, `TACTUS_SEEDS=6 go test ./dots -short -run '^TestDots$/^seed=6$'`},
		{"Test'/seed=1", 1, 1, false, `go test ./dots -run '^Test'\''$/^seed=1$'`},
	} {
		if got := command("./dots", c.test, c.seed, c.n, c.short); got != c.want {
			t.Errorf("seed %d of %d of %s:\ngot  %s\nwant %s", c.seed, c.n, c.test, got, c.want)
		}
	}
}

func TestRelative(t *testing.T) {
	const module = "example.com/game"
	for function, want := range map[string]string{
		"example.com/game/dots.TestA":              "./dots",
		"example.com/game/dots_test.TestA":         "./dots",
		"example.com/game/dots_test.TestA.func1":   "./dots",
		"example.com/game/a/b.TestA":               "./a/b",
		"example.com/game.TestA":                   ".",
		"example.com/game_test.TestA":              ".",
		"example.com/other/dots.TestA":             "example.com/other/dots",
		"example.com/game/v1%2e2_test.TestA.func1": "./v1.2",
	} {
		if got := relative(function, module); got != want {
			t.Errorf("%s is in %s, not %s", function, want, got)
		}
	}
	if got := callerOf(); got != "./systems/systemstest" {
		t.Errorf("this test is in %s", got)
	}
}

// callerOf replaces Seeds.
func callerOf() string { return callerPackage() }

// failing makes TestFailingSeed fail, in a process that a test starts.
const failing = "TACTUS_TEST_FAILING_SEED"

func TestFailingSeed(t *testing.T) {
	if os.Getenv(failing) == "" {
		t.Skip("it is for TestSeedsTellHowToRepeat")
	}
	Seeds(t, 8, func(t *testing.T, seed uint64) {
		if seed == 5 {
			t.Error("as it should")
		}
	})
}

func TestSeedsTellHowToRepeat(t *testing.T) {
	run := func(pattern string, env ...string) string {
		cmd := exec.Command(os.Args[0], "-test.run", pattern, "-test.v", "-test.short=false")
		cmd.Env = append(append(os.Environ(), failing+"=1"), env...)
		out, _ := cmd.CombinedOutput() // that it fails is what is looked at
		return string(out)
	}
	const pattern = "^TestFailingSeed$/^seed=5$"
	out := run("^TestFailingSeed$", seedsVariable+"=")
	want := "go test ./systems/systemstest -run '" + pattern + "'"
	if !strings.Contains(out, want) || strings.Count(out, "repeat it alone") != 1 {
		t.Errorf("no %q, or more than one, in:\n%s", want, out)
	}
	if n := strings.Count(out, "--- PASS: TestFailingSeed/seed="); n != 7 {
		t.Errorf("%d seeds passed, want 7", n)
	}
	if out := run(pattern, seedsVariable+"="); !strings.Contains(out, "--- FAIL: TestFailingSeed/seed=5") || strings.Contains(out, "seed=4") {
		t.Errorf("the command's pattern runs something else:\n%s", out)
	}
	if out := run("^TestFailingSeed$", seedsVariable+"=4"); !strings.Contains(out, "\nPASS") || strings.Contains(out, "seed=5") {
		t.Errorf("%s=4 ran something else:\n%s", seedsVariable, out)
	}
	if out := run("^TestFailingSeed$", seedsVariable+"=many"); !strings.Contains(out, `"many", not a number of seeds`) {
		t.Errorf("%s=many:\n%s", seedsVariable, out)
	}
}
