# Every image that Telar builds from Debian packages, for machines that reach no container registry:
#
#     telar images --from debian
#
# compose/debian.env names them in place of the official images. The base, telar/debian:sid, is made
# by debootstrap first (scripts/src/telar/build/images.py).

# `telar images` says those of telar.toml.
variable "JDKS" {
  type    = list(string)
  default = ["25"]
}

# Go's module proxy, when the machine sets one.
variable "GOPROXY" {
  default = ""
}

group "default" {
  targets = ["jre", "mysql", "mongodb", "postgresql", "k6", "victoriametrics", "prometheus"]
}

# The steps fetch packages and Go modules: over the host's network, so that a bridge isn't needed.
target "_common" {
  network = "host"
  labels  = { "dev.telar" = "image" }
}

# Go programs are built in their image. The machine's certificates vouch for whatever proxy stands between.
target "_go" {
  inherits = ["_common"]
  args     = { GOPROXY = GOPROXY }
  secret   = ["id=certificates,src=/etc/ssl/certs/ca-certificates.crt"]
}

target "jre" {
  name     = "jre-${jdk}"
  matrix   = { jdk = JDKS }
  inherits = ["_common"]
  context  = "jre"
  args     = { JDK = jdk }
  tags     = ["telar/jre:${jdk}"]
}

target "mysql" {
  inherits = ["_common"]
  context  = "mysql"
  tags     = ["telar/mysql:local"]
}

target "postgresql" {
  inherits = ["_common"]
  context  = "postgresql"
  tags     = ["telar/postgresql:local"]
}

# FerretDB on PostgreSQL: it speaks MongoDB's protocol and is never called MongoDB in a record.
target "mongodb" {
  inherits = ["_go"]
  context  = "mongodb"
  tags     = ["telar/mongodb:local"]
}

target "k6" {
  inherits = ["_go"]
  context  = "k6"
  contexts = { module = "../../scripts/src/telar/tools/components/k6" }
  tags     = ["telar/k6:local"]
}

target "victoriametrics" {
  inherits = ["_common"]
  context  = "victoriametrics"
  tags     = ["telar/victoriametrics:local"]
}

target "prometheus" {
  inherits = ["_common"]
  context  = "prometheus"
  tags     = ["telar/prometheus:local"]
}
