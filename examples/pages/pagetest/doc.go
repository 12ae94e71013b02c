// Package pagetest opens the page of an example world in a browser: [Open].
package pagetest
