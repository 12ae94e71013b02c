package lab

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

//go:embed page
var page embed.FS

// Write builds the module and writes the page to a folder, which it makes. It returns the number of bytes that a browser loads
// where the host sends the compressed copies.
func Write(ctx context.Context, dir string, progress io.Writer) (size int64, err error) {
	client, err := web.Build(ctx, web.Config{Package: "examples/lab/wasm", Progress: progress})
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	own, err := fs.Sub(page, "page")
	if err != nil {
		return 0, err
	}
	for _, from := range []fs.FS{own, os.DirFS(client)} {
		err = errors.Join(err, fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(from, name)
			if err != nil {
				return err
			}
			if _, full := fs.Stat(from, name+".br"); full != nil && filepath.Ext(name) != ".gz" {
				size += int64(len(b))
			}
			return os.WriteFile(filepath.Join(dir, name), b, 0o644)
		}))
	}
	if err != nil {
		return 0, fmt.Errorf("-static: %w", err)
	}
	return size, nil
}
