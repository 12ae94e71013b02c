// Package watch sends changes of records to watchers: a [Hub] keeps the newest change of each key for each watcher.
package watch
