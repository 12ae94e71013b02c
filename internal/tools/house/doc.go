// Package house checks the rules of the repository in its tests. It has no
// other code. The rules by file:
//
//   - imports_test.go: imports run one way, and third-party modules stay behind
//     the package that may use them
//   - rooms_test.go: what the packages below systems may import of each other
//   - links_test.go: what a program links if it imports a package of ours
//   - rules_test.go: docs/netcode-rules.md lists every rule that a test proves
//   - logs_test.go: libraries log only to their configured logger
//   - corpora_test.go: corpora of fuzzing are next to their targets
//   - docs_test.go: every package and every exported name is documented
//   - files_test.go: the fixed top level, and forbidden words and host names
//   - markdown_test.go: listings equal the code that is compiled, links resolve
//
// The rules themselves are tables at the top of these files. The tests read the
// source and never build it, so they also judge a tree that does not compile.
package house
