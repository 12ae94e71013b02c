// Package browsers tests the pages of the examples in Chromium, and has the pictures of the documents.
package browsers
