// Package house holds the rules of the repository as tests; it has no code of
// its own. What each file keeps:
//
//   - imports_test.go: imports run one way, and third-party modules stay behind
//     the package that may use them
//   - docs_test.go: every package and every exported name is documented
//   - files_test.go: the fixed top level, file lengths, words and host names
//     that do not belong in the tree
//   - markdown_test.go: listings equal the code that is compiled, links resolve
//
// The rules themselves are tables at the top of these files. The tests read the
// source and never build it, so they also judge a tree that does not compile.
package house
