package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/printed"
)

// asProgram says in the environment that the test's binary is the program.
const asProgram = "ECHO_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// The program against itself in another process.
func TestBinary(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := func(args ...string) (*exec.Cmd, *printed.Text) {
		c, text := exec.CommandContext(ctx, os.Args[0], append(args, "-protocol", "0x11", "-key", testKey)...), new(printed.Text)
		c.Env, c.Stdout, c.Stderr = append(os.Environ(), asProgram+"=1"), text, text
		return c, text
	}
	for _, loopback := range []string{"127.0.0.1", "[::1]"} {
		t.Run(loopback, func(t *testing.T) {
			family(t, loopback)
			server, served := command("-serve", loopback+":0", "-count", "50")
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = server.Process.Signal(os.Kill) }()
			addr := served.Find(t, servingAt)
			// The server ends after 50 payloads, and the client with it.
			client, text := command("-connect", addr, "-payload", "1200", "-rate", "200", "-duration", "30s")
			if err := client.Run(); err != nil {
				t.Errorf("the client: %v\n%s", err, text)
			}
			if err := server.Wait(); err != nil {
				t.Errorf("the server: %v\n%s", err, served)
			}
			for _, want := range []string{`connected: .* in slot 0 of 256`, `disconnected: .*by the peer`, `payloads: \d+ sent, [45]\d received`} {
				if !regexp.MustCompile(want).MatchString(text.String()) {
					t.Errorf("the client does not print %q but\n%s", want, text)
				}
			}
			for _, want := range []string{"connected: client 1 at " + loopback, "payloads: 50 echoed, 60000 B; 1 clients"} {
				if !strings.Contains(served.String(), want) {
					t.Errorf("the server does not print %q but\n%s", want, served)
				}
			}
		})
	}
}
