package main

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of a module's zip. Users download it once per version and machine, and in every build of a container image.
const (
	maxRoot   = 5_000_000
	maxNested = 1_000_000
)

// weighs checks the size and the licence of a downloaded module.
func (o *outsider) weighs(m module) error {
	name := filepath.Join(o.tmp, "mod", "cache", "download", filepath.FromSlash(m.path), "@v", "v"+o.version+".zip")
	r, err := zip.OpenReader(name)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	all, licence, files := info.Size(), false, slices.Clone(r.File)
	for _, f := range files {
		licence = licence || strings.HasSuffix(f.Name, "@v"+o.version+"/LICENSE")
	}
	if !licence {
		return fmt.Errorf("%s: no LICENSE is downloaded with it", m.path)
	}
	limit := int64(maxNested)
	if m.dir == "." {
		limit = maxRoot
	}
	if all > limit {
		slices.SortFunc(files, func(a, b *zip.File) int { return cmp.Compare(b.CompressedSize64, a.CompressedSize64) })
		var largest strings.Builder
		for _, f := range files[:min(5, len(files))] {
			fmt.Fprintf(&largest, "\n%10d  %s", f.CompressedSize64, f.Name)
		}
		return fmt.Errorf("%s: %d bytes are downloaded, at most %d may be; the largest files are%s", m.path, all, limit, &largest)
	}
	fmt.Fprintf(o.out, "ok  %s is %d files and %d bytes to download, LICENSE among them\n", m.path, len(files), all)
	return nil
}

// packs packs the npm package and checks that it contains exactly the files of package.json and those that npm adds.
func (o *outsider) packs() error {
	dir := filepath.Join(o.root, filepath.FromSlash(clientDir))
	out, err := o.run(dir, "npm", "pack", "--json", "--pack-destination", o.tmp)
	if err != nil {
		return err
	}
	var packed []struct {
		Name, Version, Filename string
		Size                    int
		Files                   []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(out), &packed); err != nil || len(packed) != 1 {
		return fmt.Errorf("npm pack says %q: %v", out, err)
	}
	p := packed[0]
	if p.Name != client || p.Version != o.version {
		return fmt.Errorf("npm packs %s %s, not %s %s", p.Name, p.Version, client, o.version)
	}
	want := map[string]bool{"package.json": true, "README.md": true, "LICENSE": true}
	var says struct{ Files []string }
	b, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(b, &says)
	}
	if err != nil {
		return err
	}
	for _, name := range says.Files {
		want[name] = true
	}
	has := map[string]bool{}
	for _, f := range p.Files {
		has[f.Path] = true
	}
	if !maps.Equal(has, want) {
		return fmt.Errorf("npm packs %v, not %v", slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(want)))
	}
	fmt.Fprintf(o.out, "ok  npm packs %s: %d files, %d bytes\n", p.Filename, len(has), p.Size)
	return nil
}
