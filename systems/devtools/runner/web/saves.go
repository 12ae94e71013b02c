package web

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/save"
)

// openSaves returns the store in the folder of -saves, and the key of the saves and the connect tokens. It creates both.
func openSaves(folder string) (rooms.Store, netcode.Key, error) {
	store, err := rooms.NewFileStore(filepath.Join(folder, "rooms"))
	if err != nil {
		return nil, netcode.Key{}, fmt.Errorf("-saves: %w", err)
	}
	file := filepath.Join(folder, "key")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		key := netcode.GenerateKey(nil)
		text = []byte(hex.EncodeToString(key[:]) + "\n")
		err = save.Replace(file, text)
	}
	if err != nil {
		return nil, netcode.Key{}, fmt.Errorf("-saves: %w", err)
	}
	key, err := netcode.ParseKey(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, netcode.Key{}, fmt.Errorf("-saves: %s: %w: put the key back, or remove the file with the saves in %s", file, err, filepath.Join(folder, "rooms"))
	}
	return store, key, nil
}
