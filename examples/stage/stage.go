package stage

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Pages returns the files of the pages: NAME.html is the page of the world NAME.
func Pages() fs.FS {
	pages, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is embedded
	}
	return pages
}
