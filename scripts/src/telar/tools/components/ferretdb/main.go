// Command ferretdb serves the MongoDB protocol from a folder of SQLite files.
//
// FerretDB's own command can only be built inside its repository; as a library it builds anywhere.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/FerretDB/FerretDB/build/version"
	"github.com/FerretDB/FerretDB/ferretdb"
)

const module = "github.com/FerretDB/FerretDB"

func main() {
	listen := flag.String("listen", "127.0.0.1:27017", "address to listen on")
	sqlite := flag.String("sqlite", "", "URI of the data directory, with pragmas: file:data/?_pragma=…")
	show := flag.Bool("version", false, "print the version and exit")
	flag.Parse()

	// As a library FerretDB calls itself "unknown" to its clients. This binary knows what it was built of.
	version.Get().Version = builtFrom(module)
	if *show {
		os.Stdout.WriteString(version.Get().Version + "\n")
		return
	}
	if err := serve(*listen, *sqlite); err != nil {
		log.Fatal(err)
	}
}

// serve returns nil once SIGTERM or SIGINT has closed the listener and the database.
func serve(listen, sqlite string) error {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: listen},
		Handler:   "sqlite",
		SQLiteURL: sqlite,
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return server.Run(ctx)
}

// builtFrom gives the version of a module that this binary contains.
func builtFrom(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == path {
				return dependency.Version
			}
		}
	}
	return "unknown"
}
