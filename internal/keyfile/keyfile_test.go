package keyfile

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys/netcode"
)

const digits = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

func TestRead(t *testing.T) {
	want, err := netcode.ParseKey(digits)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("\n "+digits+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{digits, "@" + file} {
		if key, err := Read(text); err != nil || key != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// An invalid key may be a secret with a typing error, so no error repeats it.
func TestErrorsKeepTheSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	secret := digits[:60]
	if err := os.WriteFile(file, []byte(secret+strings.Repeat(" ", 1<<16)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", secret, secret + "wxyz", "@" + file, "@" + file + "/none", "@"} {
		_, err := Read(text)
		if err == nil {
			t.Errorf("%q is accepted", text)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("%q: the error repeats it: %v", text, err)
		}
	}
	if _, err := Read("12"); !errors.Is(err, netcode.ErrKey) {
		t.Errorf("%v is no netcode.ErrKey", err)
	}
}

func TestGenerate(t *testing.T) {
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, name := range []string{first, second} {
		if err := Generate(name); err != nil {
			t.Fatal(err)
		}
	}
	a, errA := Read("@" + first)
	b, errB := Read("@" + second)
	if errA != nil || errB != nil || a == b || a == (netcode.Key{}) {
		t.Errorf("two keys: %v, %v; alike: %v", errA, errB, a == b)
	}
	if info, err := os.Stat(first); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v, %v", info.Mode(), err)
	}
	if err := Generate(first); !errors.Is(err, os.ErrExist) {
		t.Errorf("a key in use is overwritten: %v", err)
	}
	if again, _ := Read("@" + first); hex.EncodeToString(again[:]) != hex.EncodeToString(a[:]) {
		t.Error("the key has changed")
	}
}
