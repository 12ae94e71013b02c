// Command lint runs the checks of staticcheck and go vet together, because loading the packages takes longer than checking them.
// checks.txt lists the checks, with the reason for each disabled check.
//
// The module is separate, so that users of Tactus do not download the linters. go.mod also pins other tools: deadcode, and
// gremlins, with which internal/tools/mutants finds mutants.
//
// A command of a nested module cannot see the root module from its own folder. Build it here and run it in the root:
//
//	GOWORK=off go build -C internal/lint -o /tmp/lint/ . tool
//	/tmp/lint/lint -checks "$(sed 's/#.*//' internal/lint/checks.txt | xargs | tr ' ' ,)" ./...
//	/tmp/lint/deadcode -test ./...
//
// .ci/run lint and .ci/run nightly stale do this. Silence a wrong finding in the code, with a reason: //lint:ignore SA1234 because …
package main
