// Testsum reads the events of go test -json and prints what go test would print, with the skipped tests and their reasons.
// It also writes the last line, "N passed, N failed", to the file named by the argument, if there is one. A skip without a
// reason counts as a failure and makes the exit status 1. For all other failures the exit status is that of go test: run
// testsum in a pipe with pipefail.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
}

func main() {
	output := map[string]string{} // of tests that have not ended
	failedIn := map[string]int{}  // failed tests by package
	passed, failed, skipped, unexplained := 0, 0, 0, 0
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil {
			fmt.Println(in.Text())
			continue
		}
		key := e.Package + " " + e.Test
		switch {
		case e.Action == "build-output":
			fmt.Print(e.Output)
		case e.Action == "output" && e.Test != "":
			output[key] += e.Output
		case e.Action == "output" && e.Output != "PASS\n" && e.Output != "FAIL\n":
			fmt.Print(e.Output)
		case e.Action == "fail" && e.Test == "":
			if failedIn[e.Package] == 0 {
				failed++ // it did not build, or died outside of its tests
			}
		case e.Test == "":
		case e.Action == "pass":
			passed++
			delete(output, key)
		case e.Action == "fail":
			failed++
			failedIn[e.Package]++
			fmt.Print(output[key])
			delete(output, key)
		case e.Action == "skip":
			why := reason(output[key])
			if why == "" {
				why = "FAIL: no reason given"
				unexplained++
			}
			skipped++
			fmt.Printf("skip\t%s: %s\n", key, why)
			delete(output, key)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	if skipped > 0 {
		fmt.Printf("%d skipped\n", skipped)
	}
	sum := fmt.Sprintf("%d passed, %d failed\n", passed, failed+unexplained)
	fmt.Print(sum)
	if len(os.Args) > 1 {
		if err := os.WriteFile(os.Args[1], []byte(sum), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "testsum:", err)
			os.Exit(1)
		}
	}
	if unexplained > 0 {
		os.Exit(1)
	}
}

// reason returns what a test printed when it skipped itself, or an empty string.
func reason(output string) string {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			return line
		}
	}
	return ""
}
