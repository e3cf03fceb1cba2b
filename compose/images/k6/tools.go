//go:build tools

// Package tools keeps k6 in go.mod, so that `go mod tidy` pins all it is built from.
package tools

import _ "go.k6.io/k6/v2/cmd"
