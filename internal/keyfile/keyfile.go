package keyfile

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// maxFile bounds how much of a key's file is read, in bytes.
const maxFile = 1 << 10

// Read parses a key from a flag: 64 hexadecimal digits, or @ and the name of a file with the digits, with optional white
// space. Errors do not contain the flag's value or the file's content.
func Read(text string) (netcode.Key, error) {
	name, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		key, err := netcode.ParseKey(text)
		if err != nil {
			return key, fmt.Errorf("%w; allowed are 64 hexadecimal digits, or @FILE with a file that holds them", err)
		}
		return key, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return netcode.Key{}, err
	}
	b, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err = errors.Join(err, file.Close()); err != nil {
		return netcode.Key{}, err
	}
	key, err := netcode.ParseKey(strings.TrimSpace(string(b)))
	if err != nil {
		return key, fmt.Errorf("%s: %w; it must hold 64 hexadecimal digits", name, err)
	}
	return key, nil
}

// Generate writes a random key to a new file that only its owner can read. Generate returns an error if the file exists: the
// key in that file may be in use.
func Generate(name string) error {
	key := netcode.GenerateKey(nil)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s\n", hex.EncodeToString(key[:]))
	return errors.Join(err, file.Close())
}
