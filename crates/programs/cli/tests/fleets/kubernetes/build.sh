#!/bin/sh
# Builds Kubernetes (control plane, kubelet, kubectl) from Go modules, once: build.sh FOLDER. Its `bin` is then a link to a folder with one program and a link for each of its parts.
# It takes about 12 minutes on two cores, and 5 GB of disk meanwhile. If it is interrupted, it continues where it was.
set -eu
version=1.34.4
parts="kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet"
here=$(cd "$(dirname "$0")" && pwd)
folder=$1/$version

is_there() {
    for part in kubernetes $parts; do [ -x "$folder/$part" ] || return 1; done
}
mkdir -p "$folder"
ln -sfn "$version" "$1/bin"
if is_there; then exit 0; fi
command -v go >/dev/null 2>&1 || { echo "Kubernetes is built with Go, at least 1.24: install it from go.dev" >&2; exit 1; }

echo "building Kubernetes $version into $folder, once: about 12 minutes on two cores, and 5 GB of disk meanwhile"
mkdir -p "$folder/building"
cd "$folder/building"
export GOPATH="$PWD/modules" GOCACHE="$PWD/cache" GOFLAGS="-buildvcs=false -modcacherw" CGO_ENABLED=0
unset GOMODCACHE
cp "$here/main.go" main.go
cat >go.mod <<END
module wiredyno.invalid/kubernetes

go 1.24.0

require k8s.io/kubernetes v$version
END
# The repository's own parts are published as modules of their own, v0 instead of v1: its replacements by folders become replacements by these.
main=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/^.*"GoMod": "\(.*\)",*$/\1/p')
awk -v of="v0.${version#1.}" '$2 == "=>" && $3 ~ /^\.\/staging\// { print "replace " $1 " => " $1 " " of }' "$main" >>go.mod
go mod tidy -e >tidy.said 2>&1 || { cat tidy.said >&2; exit 1; }
is=k8s.io/component-base/version
go build -trimpath -o kubernetes -ldflags "-s -w -X $is.gitVersion=v$version -X $is.gitMajor=1 -X $is.gitMinor=34 -X $is.gitTreeState=clean" .
for part in $parts; do ln -sf kubernetes "$folder/$part"; done
mv kubernetes "$folder/kubernetes"
cd "$folder"
rm -rf building
