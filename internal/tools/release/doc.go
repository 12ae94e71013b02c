// Command release uses the checkout as an outsider uses a release, then prints the commands that release it.
//
//	go run ./internal/tools/release
//
// The newest section of CHANGELOG.md names the version. A git repository of the checkout's files, with the tags of that
// version, replaces the one on GitHub. With an empty module cache, the command then gets each module by its version in an
// empty folder, builds a program with it and runs it, installs a command, builds the templates, and packs the npm package.
// It measures the downloads.
//
// It needs git, npm, a C compiler and the registries, and fails without them. docs/releasing.md describes the other steps
// of a release.
package main
