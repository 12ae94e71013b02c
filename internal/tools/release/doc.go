// Command release does with the checkout what an outsider does with a release, and prints the commands that make it one.
//
//	go run ./internal/tools/release
//
// The newest section of CHANGELOG.md names the version. A git repository of the checkout's files, with the tags of that
// version, stands in for the one on GitHub. Then an outsider, with a module cache of its own, gets each module by its
// version into an empty folder, builds a program with it and runs it; installs a command; builds the templates; and packs
// the npm package. What is downloaded is measured.
//
// It needs git, npm, a C compiler and the registries, and skips nothing where they are missing: it fails. docs/releasing.md says what is
// to be done around it.
package main
