// Package house checks the rules of the repository in its tests. It has no other code. The rules by file:
//
//   - imports_test.go: the direction of imports, and the packages that may import third-party modules
//   - rooms_test.go: which packages below systems may import each other
//   - links_test.go: which packages a program links if it imports a package of this repository
//   - rules_test.go: docs/netcode-rules.md lists every rule that a test proves
//   - logs_test.go: libraries log only to their configured logger
//   - corpora_test.go: fuzzing corpora are next to their targets
//   - docs_test.go: every package and every exported name is documented
//   - files_test.go: the files at the top level, and forbidden words and host names
//   - markdown_test.go: listings equal the compiled code, and links resolve
//
// The rules are tables at the top of these files. The tests read the source and do not build it, so they also check a tree that
// does not compile.
package house
