// Package login asks a login service for a connect token: [Ask].
package login
