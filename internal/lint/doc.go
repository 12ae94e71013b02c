// Package lint pins the versions of the linters in a separate module, so that users of Tactus do not download them. The package
// has no code. go.mod lists the tools. checks.txt lists the checks of staticcheck, with the reason for each disabled check.
// internal/tools/mutants uses gremlins, which finds mutants.
//
// A tool of a nested module cannot see the root module from its own folder. Build it here and run it in the root:
//
//	go build -C internal/lint -o /tmp/lint/ tool
//	/tmp/lint/staticcheck -checks "$(sed 's/#.*//' internal/lint/checks.txt | xargs | tr ' ' ,)" ./...
//	/tmp/lint/deadcode -test ./...
//
// .ci/run lint and .ci/run nightly stale do this. Silence a wrong finding in the code, with a reason: //lint:ignore SA1234 because …
package lint
