package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// patience is how long a program may take.
const patience = 2 * time.Minute

// makings is where make works, "" where no test has asked for it.
var makings string

// made is where make has put library and programs, once for all tests.
var made = sync.OnceValues(func() (folder string, err error) {
	if err := watch(); err != nil {
		return "", err
	}
	for _, tool := range []string{"make", "cc", "c++"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("needs make and a compiler for C and C++: %w", err)
		}
	}
	if folder, err = os.MkdirTemp("", "tactus-c-"); err != nil {
		return "", err
	}
	makings = folder
	cmd := exec.Command("make", "--no-print-directory", "OUT="+folder, "all")
	if out, err := cmd.CombinedOutput(); err != nil {
		return folder, fmt.Errorf("%w: make: %w\n%s", errBuild, err, out)
	}
	return folder, nil
})

// watch makes the go command notice what changes and is not Go.
func watch() error {
	for _, pattern := range []string{"Makefile", "play/*.c", "capi/*.h", "../../arena/bindings/*.h"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			return fmt.Errorf("there is no %s: %w", pattern, err)
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil {
				return err
			}
		}
	}
	return nil
}

var errBuild = errors.New("it does not build")

func TestMain(m *testing.M) {
	code := m.Run()
	if makings != "" {
		_ = os.RemoveAll(makings)
	}
	os.Exit(code)
}

// built returns the folder with library and programs, built as users build them.
func built(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the Makefile's tests are for Linux and macOS")
	}
	folder, err := made()
	switch {
	case errors.Is(err, errBuild):
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	return folder
}

// library returns the file name that the Makefile gives the library on this system.
func library(folder string) string {
	if runtime.GOOS == "darwin" {
		return filepath.Join(folder, "libarena.dylib")
	}
	return filepath.Join(folder, "libarena.so")
}

// compile compiles a program of the folder play against a library, with headers from elsewhere before those of the game.
func compile(t *testing.T, name, to, lib string, flags ...string) error {
	t.Helper()
	args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}, flags...)
	args = append(args, "-Icapi", "-I../../arena/bindings", "-o", to, filepath.Join("play", name+".c"), lib,
		"-Wl,-rpath,"+filepath.Dir(lib), "-lm", "-pthread", "-ldl")
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// serve returns an arena with eight places and fifty others in it, until the test ends. A key takes players with tokens only.
func serve(t *testing.T, key netcode.Key) (address string) {
	t.Helper()
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := systems.ServerConfig{Session: systems.ServerSession{Key: key}, MaxClients: 128}
	game.Arm(&c)
	game.NewMessages().Serve(&c)
	server, err := systems.NewServer(wire, game.CombatProtocol(), c)
	if err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), 8, 50)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return wire.LocalAddr().String()
}

// run runs a program to its end.
func run(t *testing.T, program string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	if code = cmd.ProcessState.ExitCode(); code < 0 {
		t.Errorf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), cmd.ProcessState, &errs)
	}
	return code, out.String(), errs.String()
}
