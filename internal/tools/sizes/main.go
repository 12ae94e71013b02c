package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// empty is the smallest program.
const empty = "package main\n\nfunc main() {}\n"

// download is a file of the table.
type download struct {
	name         string
	raw          int
	gzip, brotli string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("sizes", flag.ExitOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: go run ./internal/tools/sizes [FILE…]\n\nbuilds clients for browsers, and prints their sizes and those of the files")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sizes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	nothing := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(nothing, []byte(empty), 0o600); err != nil {
		return err
	}
	var all []download
	for _, program := range [...]struct{ name, source string }{
		{"an empty Go program", nothing},
		{"examples/arena/wasm", "github.com/tactusgo/tactus/examples/arena/wasm"},
		{"examples/platformer/wasm", "github.com/tactusgo/tactus/examples/platformer/wasm"},
	} {
		fmt.Fprintln(progress, "building", program.name)
		file := filepath.Join(dir, "client.wasm")
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, program.source)
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", program.name, err, said)
		}
		d, err := measure(ctx, program.name, file)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	for _, file := range flags.Args() {
		d, err := measure(ctx, filepath.Base(file), file)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "bytes\tgzip\tbrotli\t  \t")
	for _, d := range all {
		fmt.Fprintf(t, "%d\t%s\t%s\t  \t%s\n", d.raw, d.gzip, d.brotli, d.name)
	}
	return t.Flush()
}

// measure reads a file and compresses it.
func measure(ctx context.Context, name, file string) (download, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return download{}, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return download{}, err
	}
	if _, err := w.Write(b); err != nil {
		return download{}, err
	}
	if err := w.Close(); err != nil {
		return download{}, err
	}
	d := download{name, len(b), fmt.Sprint(packed.Len()), "-"}
	if node, err := exec.LookPath("node"); err == nil {
		const script = `const z = require('zlib'), c = z.constants; console.log(z.brotliCompressSync(require('fs').readFileSync(process.argv[1]), { params: { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 24 } }).length)`
		said, err := exec.CommandContext(ctx, node, "-e", script, file).Output()
		if err != nil {
			return d, fmt.Errorf("brotli of %s: %w", name, err)
		}
		d.brotli = strings.TrimSpace(string(said))
	}
	return d, nil
}
