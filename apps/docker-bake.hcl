# The images of app builds, on each JDK. Run in this folder, with the jars in place:
#
#     BUILDS=spring-mysql-blocking docker buildx bake                one build on JDK 25
#     BUILDS=spring-mysql-blocking JDKS=21,25 docker buildx bake     on two JDKs
#
# Targets are <build>-jdk<n>, images telar/<build>:<TAG>-jdk<n>. `telar run` gives each its artefact and tag.

# Builds: an app, or one of its launches where the framework fixes the thread model when it builds (Quarkus).
# Spring's launches differ by a flag at run time.
variable "BUILDS" {
  type    = list(string)
  default = []
}

variable "JDKS" {
  type    = list(string)
  default = ["25"]
}

# The base, as in compose/.env and compose/debian.env; {jdk} is the JDK's number.
variable "JRE_IMAGE" { default = "eclipse-temurin:{jdk}-jre" }

# Where Maven's output lies: one folder a build.
variable "ARTIFACTS" { default = "../.telar/artifacts" }

# Tells images of one build apart: a driver's version, a commit.
variable "TAG" { default = "local" }

# For the labels.
variable "REVISION" { default = "" }
variable "VERSION" { default = "" }
variable "SPRING_BOOT_VERSION" { default = "" }
variable "QUARKUS_VERSION" { default = "" }
variable "DRIVERS" { default = "" }

group "default" {
  targets = ["app"]
}

target "app" {
  name       = "${build}-jdk${jdk}"
  matrix     = { build = BUILDS, jdk = JDKS }
  dockerfile = "Dockerfile"
  target     = framework(build)
  contexts   = { artifacts = "${ARTIFACTS}/${build}" }
  args       = { JRE_IMAGE = replace(JRE_IMAGE, "{jdk}", jdk) }
  tags       = ["telar/${build}:${TAG}-jdk${jdk}"]
  labels = {
    "org.opencontainers.image.title"    = build
    "org.opencontainers.image.version"  = VERSION
    "org.opencontainers.image.revision" = REVISION
    "dev.telar"                         = "app"
    "dev.telar.framework"               = "${framework(build)} ${framework(build) == "spring" ? SPRING_BOOT_VERSION : QUARKUS_VERSION}"
    "dev.telar.drivers"                 = DRIVERS
    "dev.telar.jdk"                     = jdk
  }
}

# A build's name begins with its framework, which is also its stage in the Dockerfile; Telar sets the stage itself.
function "framework" {
  params = [build]
  result = split("-", build)[0]
}
