package stage

import (
	"embed"
	"errors"
	"io/fs"
)

//go:embed dist public
var files embed.FS

// Pages returns the files of the pages: NAME.html is the page of the world NAME.
func Pages() fs.FS { return pages{} }

// pages has the built files in dist, and those that need no build in public.
type pages struct{}

func (pages) Open(name string) (fs.File, error) {
	f, err := files.Open("dist/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return files.Open("public/" + name)
	}
	return f, err
}
