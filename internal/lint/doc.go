// Package lint pins the linters in a module of their own, so that nobody who
// uses Tactus downloads them. It has no code; go.mod names the tools, and
// checks.txt says what staticcheck looks for and why not the rest. gremlins, which finds
// mutants, is for internal/tools/mutants.
//
// A tool of a nested module cannot see the root module from its own folder, so
// it is built here and run there:
//
//	go build -C internal/lint -o /tmp/lint/ tool
//	/tmp/lint/staticcheck -checks "$(sed 's/#.*//' internal/lint/checks.txt | xargs | tr ' ' ,)" ./...
//	/tmp/lint/deadcode -test ./...
//
// which is what .ci/run lint does. A finding that is wrong is silenced where it
// stands, with its reason: //lint:ignore SA1234 because …
package lint
