package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const testKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func none(string) string { return "" }

// The whole command: a key in a file, a token over HTTP.
func TestService(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	var generated printed.Text
	if code := run(t.Context(), []string{"-generate", file}, none, &generated, &generated); code != 0 {
		t.Fatalf("-generate ends with %d: %s", code, &generated)
	}
	if again := run(t.Context(), []string{"-generate", file}, none, io.Discard, io.Discard); again != 1 {
		t.Errorf("-generate over a key in use ends with %d", again)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs printed.Text
	code := make(chan int)
	go func() {
		code <- run(ctx, strings.Fields("-addr 127.0.0.1:0 -protocol 0x11 -server 127.0.0.1:7777,[::1]:7777 -key @"+file), none, &out, &errs)
	}()
	url := out.Find(t, `serving (\S+) for protocol 0x11 at \[127.0.0.1:7777 \[::1\]:7777\]\n`)
	token, err := netcode.ParseToken(over(t, url))
	if err != nil || len(token.Servers) != 2 || token.ProtocolID != 0x11 {
		t.Errorf("%v, %v", token, err)
	}
	cancel()
	if c := <-code; c != 0 || !strings.Contains(errs.String(), "client_id=1") {
		t.Errorf("ends with %d:\n%s", c, &errs)
	}
}

func TestFlags(t *testing.T) {
	good := "-key " + testKey + " -server 127.0.0.1:7777 "
	for args, want := range map[string]string{
		"":                            "-generate FILE",
		"-server 127.0.0.1:7777":      "-key is needed",
		"-key " + testKey:             "Servers",
		"-key 12 -server 127.0.0.1:1": "64 hexadecimal",
		"-key " + testKey + "0 -server 127.0.0.1:1": "64 hexadecimal",
		"-key @/none/at/all -server 127.0.0.1:1":    "/none/at/all",
		good + "-expire 0s":                         "1s..1h",
		good + "-expire 1500ms":                     "whole seconds",
		good + "-timeout 0s":                        "1s or more",
		good + "-rate 0":                            "-rate 0",
		good + "-protocol x":                        `-protocol "x"`,
		good + "-known nowhere":                     "-known",
		good + "-proxies 10.0.0.0":                  "-proxies",
		good + "-names a:80":                        "-names",
		good + "-account-rate 0":                    "-account-rate 0",
		good + "-generate x":                        "no other flag",
		good + "more":                               "more",
		good + "-bogus":                             "bogus",
		"-key " + testKey + " -server 0.0.0.0:1":    "0.0.0.0:1",
	} {
		var errs printed.Text
		if code := run(t.Context(), strings.Fields(args), none, io.Discard, &errs); code != 2 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: %d, %q", args, code, &errs)
		}
		if strings.Contains(errs.String(), testKey) {
			t.Errorf("%s: the error shows the key", args)
		}
	}
	var help printed.Text
	if code := run(t.Context(), []string{"-h"}, none, &help, io.Discard); code != 0 || !strings.Contains(help.String(), "usage: tokens") {
		t.Errorf("-h: %d, %q", code, &help)
	}
	environment := func(name string) string {
		if name == keyVariable {
			return testKey
		}
		return ""
	}
	if o, err := parse([]string{"-server", "127.0.0.1:7777"}, environment, io.Discard); err != nil || o.token.Key == (netcode.Key{}) {
		t.Errorf("from the environment: %v", err)
	}
	var errs printed.Text
	if code := run(t.Context(), strings.Fields(good+"-addr 256.0.0.1:0"), none, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), "-addr") {
		t.Errorf("an address that is none: %d, %q", code, &errs)
	}
}
