// FerretDB's listener for the MongoDB protocol, without authentication and without its debug port:
// it is reached over loopback only, for the length of one run.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/v2/ferretdb"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:27017", "address for the MongoDB protocol")
	postgres := flag.String("postgres", "", "URL of the PostgreSQL with the documentdb extension")
	state := flag.String("state", "", "directory for FerretDB's own state")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	telemetry := false
	server, err := ferretdb.New(&ferretdb.Config{
		PostgreSQLURL: *postgres,
		ListenAddr:    *listen,
		StateDir:      *state,
		LogLevel:      slog.LevelWarn,
		LogOutput:     os.Stderr,
		Telemetry:     &telemetry,
	})
	if err != nil {
		log.Fatal(err)
	}
	server.Run(ctx)
}
